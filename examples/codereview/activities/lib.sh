# What the four activities share. Each gets one JSON object on standard input,
# on one line, and answers with one as its last line of output.
#
#   REVIEW_REPO   the git repository to review
#   REVIEW_DIR    where the diff, the comments and the review are kept
#   FORGE_URL     optional: a forge that is asked before each comment is posted

set -eu
: "${REVIEW_REPO:?set REVIEW_REPO to a git repository}"
: "${REVIEW_DIR:?set REVIEW_DIR to a folder for the results}"
mkdir -p "$REVIEW_DIR"
request=$(cat)

# arg NAME: a string argument without quotes or backslashes in it.
arg() { printf '%s' "$request" | sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p"; }

# answer EVENT [DATA]
answer() { printf '{"event": "%s", "data": %s}\n' "$1" "${2:-{\}}"; }

# failed CATEGORY MESSAGE
failed() { printf '{"failed": "%s", "message": "%s"}\n' "$1" "$2"; exit 0; }
