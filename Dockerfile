# The binary alone, for a user that is not root. .ci/image tries it.
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
ARG VERSION=unreleased
ARG COMMIT
ARG DATE
RUN VERSION=$VERSION COMMIT=$COMMIT DATE=$DATE CGO_ENABLED=1 .ci/release /root-of-image/fsmc
RUN mkdir -p /root-of-image/data /root-of-image/tmp && chown 65532:65532 /root-of-image/data && chmod 1777 /root-of-image/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /root-of-image/ /
USER 65532:65532
WORKDIR /data
ENTRYPOINT ["/fsmc"]
