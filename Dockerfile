# The site: pages, worker and beat run from this one image. `bin/build-site` builds it, on this
# public base or, where no image registry answers, on the stand-in of sandbox_images/base.
ARG BASE_IMAGE=python:3.13-slim-bookworm
FROM ${BASE_IMAGE}

# certificate authorities of the building machine, if it has any of its own (host-ca-1.crt …)
COPY manage.py host-ca-*.crt /usr/local/share/ca-certificates/

RUN apt-get update \
    && export DEBIAN_FRONTEND=noninteractive \
    && apt-get install -y --no-install-recommends ca-certificates \
    && { python3 -c 'import ensurepip' || apt-get install -y --no-install-recommends python3-venv; } \
    && rm -f /usr/local/share/ca-certificates/manage.py \
    && update-ca-certificates \
    && apt-get clean && rm -rf /var/lib/apt/lists/*

RUN useradd --system --user-group --no-create-home agent-lab \
    && install -d -o agent-lab -g agent-lab /var/lib/agent-lab

COPY requirements/base.txt /srv/requirements.txt
RUN python3 -m venv /srv/venv \
    && PIP_CERT=/etc/ssl/certs/ca-certificates.crt /srv/venv/bin/pip install --no-cache-dir \
        --disable-pip-version-check --require-hashes --requirement /srv/requirements.txt

WORKDIR /srv/agent-lab
COPY . .
RUN rm -f host-ca-*.crt

ENV PATH=/srv/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    VAR_DIR=/var/lib/agent-lab STATIC_ROOT=/srv/static
RUN VAR_DIR=/tmp/build SECRET_KEY=only-for-this-step \
        python manage.py collectstatic --no-input --verbosity 0 \
    && rm -rf /tmp/build

USER agent-lab
EXPOSE 8000
CMD ["uvicorn", "config.asgi:application", "--host", "0.0.0.0", "--port", "8000"]
