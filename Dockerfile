# The targets api, worker, inbound and tracking differ only in the process they start. All contain the posthorn command.
# The processes write no files, so the root file system can be read-only.

FROM node:24-bookworm-slim AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/code-samples/package.json packages/code-samples/
COPY packages/contract/package.json packages/contract/
COPY packages/domain/package.json packages/domain/
COPY packages/feedback/package.json packages/feedback/
COPY packages/message/package.json packages/message/
COPY packages/platform/package.json packages/platform/
COPY packages/servers/package.json packages/servers/
COPY packages/testing/package.json packages/testing/
COPY packages/threads/package.json packages/threads/
COPY packages/webhooks/package.json packages/webhooks/
COPY apps/api/package.json apps/api/
COPY apps/cli/package.json apps/cli/
COPY apps/dashboard/package.json apps/dashboard/
COPY apps/inbound/package.json apps/inbound/
COPY apps/local/package.json apps/local/
COPY apps/tracking/package.json apps/tracking/
COPY apps/worker/package.json apps/worker/

FROM manifests AS build
RUN npm ci
COPY tsconfig.base.json ./
COPY packages packages
COPY apps apps
# The prose of /docs
COPY docs/api docs/api
RUN npm run build -- apps/api apps/worker apps/inbound apps/tracking apps/cli

FROM manifests AS dependencies
COPY apps/cli/bin apps/cli/bin
# Only the runtime dependencies of these five workspaces: no build or test tools, and no embedded Postgres
RUN npm ci --omit=dev --workspace=@posthorn/api --workspace=@posthorn/worker --workspace=@posthorn/inbound --workspace=@posthorn/tracking --workspace=@posthorn/cli

FROM node:24-bookworm-slim AS runtime
WORKDIR /app
# Nothing is installed or built at run time
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn*
COPY --from=dependencies /app ./
COPY --from=build /app/packages/contract/dist packages/contract/dist
COPY --from=build /app/packages/domain/dist packages/domain/dist
COPY --from=build /app/packages/feedback/dist packages/feedback/dist
COPY --from=build /app/packages/message/dist packages/message/dist
COPY --from=build /app/packages/platform/dist packages/platform/dist
COPY --from=build /app/packages/threads/dist packages/threads/dist
COPY --from=build /app/packages/webhooks/dist packages/webhooks/dist
COPY --from=build /app/apps/api/dist apps/api/dist
COPY --from=build /app/apps/worker/dist apps/worker/dist
COPY --from=build /app/apps/inbound/dist apps/inbound/dist
COPY --from=build /app/apps/tracking/dist apps/tracking/dist
COPY --from=build /app/apps/dashboard/dist apps/dashboard/dist
COPY --from=build /app/apps/cli/dist apps/cli/dist
ENV PATH=/app/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 API_METRICS_PORT=9464 METRICS_PORT=9464 INBOUND_PORT=2525 INBOUND_METRICS_PORT=9464 TRACKING_PORT=3001 TRACKING_METRICS_PORT=9464
USER node

FROM runtime AS api
EXPOSE 3000 9464
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["node", "--max-semi-space-size=32", "apps/api/dist/main.js"]

FROM runtime AS worker
EXPOSE 9464
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["node", "--max-semi-space-size=32", "apps/worker/dist/main.js"]

FROM runtime AS inbound
EXPOSE 2525 9464
HEALTHCHECK --start-period=30s CMD ["node", "-e", "require('net').connect(process.env.INBOUND_PORT, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(1))"]
CMD ["node", "apps/inbound/dist/main.js"]

FROM runtime AS tracking
EXPOSE 3001 9464
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TRACKING_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["node", "apps/tracking/dist/main.js"]
