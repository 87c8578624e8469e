# The image of Sluice: Node 24 and the gateway, no shell and no package manager. docs/sell/deploy.md says how to run it.
# scripts/artifacts/dockerfile.ts carries these steps out without Docker; it knows the instructions used here and refuses others.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without --omit=optional, which would also leave out the compiled part of @node-rs/argon2: nobody could sign in with a
# password. The optional Node is not needed here and is most of what would be installed.
RUN npm ci --omit=dev --ignore-scripts --workspaces=false && rm -r node_modules/node-linux-* node_modules/.bin && mkdir -m 700 empty

FROM gcr.io/distroless/nodejs24-debian13:nonroot
LABEL org.opencontainers.image.title="Sluice" \
  org.opencontainers.image.description="A market-priced inference gateway" \
  org.opencontainers.image.licenses="Apache-2.0"
# Relative names such as data/sluice.sqlite, which settings have by default, are below the root: /data/sluice.sqlite.
WORKDIR /
COPY --from=build /app/node_modules /app/node_modules
COPY package.json LICENSE /app/
COPY docs /app/docs
COPY generated /app/generated
COPY simulations /app/simulations
COPY src /app/src
COPY sluice.yaml /etc/sluice/sluice.yaml
COPY --from=build --chown=65532:65532 /app/empty /data
# DATABASE_URL is not set: DATABASE_URL_FILE could then not be used.
ENV HOST=0.0.0.0 SLUICE_CONFIG=/etc/sluice/sluice.yaml MALLOC_ARENA_MAX=2 NODE_COMPILE_CACHE=/tmp/sluice
EXPOSE 8080
VOLUME /data
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=32", "--heap-growing-percent=150", "--no-memory-reducer", "/app/src/cli.ts"]
CMD ["serve"]
# It waits through a start that brings large tables up to date.
HEALTHCHECK --interval=30s --timeout=10s --start-period=5m \
  CMD ["/nodejs/bin/node", "/app/src/cli.ts", "health"]
