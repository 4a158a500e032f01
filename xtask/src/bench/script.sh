#!/usr/bin/env bash
# A release script such as agents write: about two kilobytes, nothing dangerous in it.
set -euo pipefail

PROJECT="${PROJECT:-example}"
VERSION="$(git describe --tags --always 2>/dev/null || echo dev)"
BUILD_DIR="build/${PROJECT}"
DIST_DIR="dist"
LOG="${BUILD_DIR}/build.log"

log() {
  printf '[%s] %s\n' "$(date +%H:%M:%S)" "$*" | tee -a "$LOG"
}

need() {
  for tool in "$@"; do
    if ! command -v "$tool" >/dev/null 2>&1; then
      echo "missing: $tool" >&2
      exit 1
    fi
  done
}

prepare() {
  mkdir -p "$BUILD_DIR" "$DIST_DIR"
  : > "$LOG"
  log "building $PROJECT $VERSION"
  if [ -f package.json ]; then
    npm ci --ignore-scripts >> "$LOG" 2>&1
  fi
}

compile() {
  log "compiling"
  local count=0
  for source in src/*.c; do
    object="$BUILD_DIR/$(basename "${source%.c}").o"
    if [ "$source" -nt "$object" ]; then
      cc -O2 -Wall -c "$source" -o "$object"
      count=$((count + 1))
    fi
  done
  log "compiled $count files"
  cc -o "$BUILD_DIR/$PROJECT" "$BUILD_DIR"/*.o
}

run_tests() {
  log "testing"
  while read -r name; do
    [ -n "$name" ] || continue
    if "$BUILD_DIR/$PROJECT" --self-test "$name" > "$BUILD_DIR/$name.out"; then
      log "ok $name"
    else
      log "failed $name"
      return 1
    fi
  done < tests/list.txt
}

package() {
  local archive="$DIST_DIR/$PROJECT-$VERSION.tar.gz"
  tar -czf "$archive" -C "$BUILD_DIR" "$PROJECT"
  sha256sum "$archive" > "$archive.sha256"
  case "$(uname -s)" in
    Linux) log "packaged for linux: $(du -h "$archive" | cut -f1)" ;;
    Darwin) log "packaged for macos" ;;
    *) log "packaged" ;;
  esac
}

cleanup() {
  rm -f "$BUILD_DIR"/*.o "$BUILD_DIR"/*.out
}
trap cleanup EXIT

need git cc tar sha256sum
prepare
compile
run_tests
package
cat <<EOF
done: $PROJECT $VERSION
see $LOG for what happened
EOF
