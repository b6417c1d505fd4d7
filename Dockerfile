# The app in a container, or a class: docs/hosting.md and docs/class.md explain how to build and start it.
ARG PYTHON=docker.io/library/python:3.13-slim
FROM $PYTHON

WORKDIR /tokenloupe
COPY requirements.txt requirements-core.txt requirements-app.txt requirements-models.txt ./
# removes what no page uses, some 190 MB: tests, headers, the maps of pydeck for notebooks, protocols of Arrow and the Hub
RUN pip install --no-cache-dir -r requirements.txt -r requirements-models.txt \
    && cd "$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
    && rm -rf "$(python -c 'import sys; print(sys.prefix)')/share/jupyter" pydeck/nbextension pandas/tests \
        pyarrow/tests pyarrow/include pyarrow/*flight* hf_xet \
    && find numpy -type d -name tests -prune -exec rm -rf {} +
COPY app.py ./
COPY .streamlit .streamlit
COPY assets assets
COPY pages pages
COPY scripts scripts
COPY server server
COPY tokenizer tokenizer
COPY ui ui
COPY web web
RUN python -m compileall -q pages scripts server tokenizer ui

# a user id without an account and without write access; any other user without root can run it, too
USER 10001:10001
ENV HOME=/tmp PORT=8501 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
EXPOSE 8501
STOPSIGNAL SIGINT
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["python", "scripts/is_healthy.py"]
ENTRYPOINT ["python", "scripts/container.py"]
