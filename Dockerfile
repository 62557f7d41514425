# The service in one image; which role a container plays is its command: api, worker, projector, or start for everything.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/client/package.json packages/client/
RUN npm ci
COPY tsconfig.json tsconfig.build.json tsconfig.browser.json ./
COPY scripts scripts
COPY src src
COPY docs/guide.md docs/
RUN npm run build && npm prune --omit=dev

FROM node:22-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY drizzle drizzle
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 3000
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["start"]
