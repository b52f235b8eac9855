# Florin: the server and its command line.
#
#   docker build --tag florin .
#   docker run --rm --publish 3000:3000 --env FLORIN_HOST=0.0.0.0 florin
FROM node:24-slim AS built
WORKDIR /florin
RUN npm install --global pnpm@12.21.0
COPY . .
RUN pnpm install --frozen-lockfile \
  && pnpm --filter @florin/pages build:site

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /florin
COPY --from=built /florin /florin
# Where embedded data goes; with PostgreSQL nothing is kept here.
RUN mkdir /data && chown node:node /data
VOLUME /data
ENV FLORIN_DIRECTORY=/data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.FLORIN_PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Long-polls are answered at once when it ends; what was asked may take up to 30 seconds.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "packages/florin/src/main.ts"]
CMD ["serve"]
