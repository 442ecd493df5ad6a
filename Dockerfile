# guardian as an image: docker build -t guardian . && docker run --rm -v "$PWD:/repo" guardian check --base origin/main
# The learning environments' server has its own: guardian/learn/contract/Dockerfile.
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY guardian guardian
COPY fixtures/workflow fixtures/workflow
RUN python -m venv /opt/guardian && /opt/guardian/bin/pip install --no-cache-dir .

FROM python:3.12-slim
# git reads both sides of a change. A mounted repository belongs to somebody else, and nothing in it is run.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system --add safe.directory '*' \
    && useradd --create-home --uid 10001 guardian
COPY --from=build /opt/guardian /opt/guardian
ENV PATH=/opt/guardian/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER guardian
WORKDIR /repo
ENTRYPOINT ["guardian"]
CMD ["--help"]
