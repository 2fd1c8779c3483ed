# docker build -t assay .
# docker run --rm --env-file .env --user "$(id -u):$(id -g)" -v "$PWD:/work" assay run acme.yaml
FROM node:22-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm run prove:record && npm pack --ignore-scripts --pack-destination /tmp

FROM node:22-slim
LABEL org.opencontainers.image.title="Assay" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
COPY --from=build /tmp/assay-*.tgz /tmp/
RUN npm install --global --no-audit --no-fund /tmp/assay-*.tgz \
  && npm cache clean --force \
  && rm /tmp/assay-*.tgz \
  && mkdir /work \
  && chown node:node /work
# Reports are written below /work; where the caller's own folder is mounted there, --user says who writes.
USER node
WORKDIR /work
ENTRYPOINT ["assay"]
CMD ["run"]
