class Fsmc < Formula
  desc "Compiler and prover for state machines, with a durable runtime"
  homepage "https://github.com/fsmc-dev/fsmc"
  version "@VERSION@".delete_prefix("v")
  license "Apache-2.0"

  base = "https://github.com/fsmc-dev/fsmc/releases/download/@VERSION@/fsmc_@VERSION@"
  on_macos do
    on_arm do
      url "#{base}_darwin_arm64.tar.gz"
      sha256 "@SHA_darwin_arm64@"
    end
    on_intel do
      url "#{base}_darwin_amd64.tar.gz"
      sha256 "@SHA_darwin_amd64@"
    end
  end
  on_linux do
    on_arm do
      url "#{base}_linux_arm64.tar.gz"
      sha256 "@SHA_linux_arm64@"
    end
    on_intel do
      url "#{base}_linux_amd64.tar.gz"
      sha256 "@SHA_linux_amd64@"
    end
  end

  def install
    bin.install "fsmc"
    generate_completions_from_executable(bin/"fsmc", "completion")
  end

  test do
    assert_match "fsmc @VERSION@ ", shell_output("#{bin}/fsmc version")
  end
end
