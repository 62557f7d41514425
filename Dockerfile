# The service in one image; which role a container plays is its command: api, worker, projector, or start for everything.
FROM node:22.23.3-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without the workspaces: the client is not part of the service, and would stay in the image as a link to nowhere.
RUN npm ci --workspaces=false
COPY tsconfig.json tsconfig.build.json tsconfig.browser.json ./
COPY scripts scripts
COPY src src
COPY docs/guide.md docs/
RUN npm run build && npm prune --omit=dev --workspaces=false

FROM node:22.23.3-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY drizzle drizzle
# For `start` alone, with a volume of a name; no VOLUME, which would leave a nameless one for each role that keeps nothing here.
RUN mkdir /data && chown node:node /data
USER node
EXPOSE 3000
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["start"]
