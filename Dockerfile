# syntax=docker/dockerfile:1

# The server and a browser in one image. How to run it, and what to do about the
# browser's sandbox: packaging/README.md.

FROM rust:1.95-slim-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends cmake g++ make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# The caches stay with the builder; the program alone leaves this step.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --release --locked --bin playguard \
    && cp target/release/playguard /usr/local/bin/playguard

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="PlayGuard" \
      org.opencontainers.image.description="A browser for AI agents, served over MCP" \
      org.opencontainers.image.source="https://github.com/playguard/playguard" \
      org.opencontainers.image.licenses="Apache-2.0" \
      io.modelcontextprotocol.server.name="io.github.playguard/playguard"

# Debian 12 has no headless shell of its own; the whole Chromium does the same
# without a window. More scripts need more fonts, such as fonts-noto-cjk.
ARG FONTS="fonts-liberation fonts-dejavu-core fonts-noto-color-emoji"
# hadolint ignore=DL3008,SC2086
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends \
       ca-certificates chromium fontconfig $FONTS \
    && rm -rf /var/lib/apt/lists/*

# Not root: as root, Chromium has no sandbox at all.
RUN useradd --create-home --uid 10001 playguard \
    && install -d -o playguard -g playguard /workspace
COPY --from=build /usr/local/bin/playguard /usr/local/bin/playguard

# By number, so that an orchestrator can see that it is not root.
USER 10001:10001
WORKDIR /workspace
ENV LANG=C.UTF-8 \
    PLAYGUARD_HEADLESS=true

# Starts a browser of its own and ends it again, so not too often. It reads the
# same variables as the server; what you change, change with `docker run --env`.
HEALTHCHECK --interval=5m --timeout=60s --start-period=5s --retries=2 \
    CMD ["playguard", "doctor", "--isolated"]

ENTRYPOINT ["playguard"]
