#!/bin/sh
# Makes a Debian package out of what package.sh put together, where there is no `cargo deb`; it takes dpkg-deb alone.
#   packaging/deb.sh STAGE FOLDER
# The files and the words are those that crates/portcullis/Cargo.toml gives `cargo deb`.
set -eu
stage=$1 folder=$2
here=$(cd "$(dirname "$0")/.." && pwd)
version=$("$stage/portcullis" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
maintainer="The developers of Portcullis <portcullis-dev@users.noreply.github.com>"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
doc=$root/usr/share/doc/portcullis
install -Dm755 "$stage/portcullis" "$root/usr/bin/portcullis"
install -Dm644 "$stage/portcullis.1" "$root/usr/share/man/man1/portcullis.1"
install -Dm644 "$stage/completions/portcullis.bash" "$root/usr/share/bash-completion/completions/portcullis"
install -Dm644 "$stage/completions/portcullis.zsh" "$root/usr/share/zsh/vendor-completions/_portcullis"
install -Dm644 "$stage/completions/portcullis.fish" "$root/usr/share/fish/vendor_completions.d/portcullis.fish"
install -Dm644 "$stage/README.md" "$doc/README.md"
install -Dm644 "$stage/CHANGELOG.md" "$doc/CHANGELOG.md"
when=$(LC_ALL=C date -R ${SOURCE_DATE_EPOCH:+-d "@$SOURCE_DATE_EPOCH"})
{
  echo "portcullis ($version) unstable; urgency=medium"
  echo
  echo "  * What changed is in CHANGELOG.md.gz."
  echo
  echo " -- $maintainer  $when"
} > "$doc/changelog"
chmod 644 "$doc/changelog"
install -Dm644 "$here/packaging/portcullis.service" "$doc/examples/portcullis.service"
gzip -9n "$root/usr/share/man/man1/portcullis.1" "$doc/changelog" "$doc/CHANGELOG.md"
{
  echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
  echo "Upstream-Name: portcullis"
  echo "Source: https://github.com/portcullis-dev/portcullis"
  echo
  echo "Files: *"
  echo "Copyright: the developers of Portcullis"
  echo "License: MIT or Apache-2.0"
  sed -e 's/^$/./' -e 's/^/ /' "$stage/LICENSE-MIT"
  echo " ."
  echo " On Debian systems the Apache License, Version 2.0, is in /usr/share/common-licenses/Apache-2.0."
} > "$doc/copyright"
chmod 644 "$doc/copyright"
# It has the package database among the paths that it knows, and its C library in it where the system has that as an archive.
mkdir -p "$root/usr/share/lintian/overrides"
printf 'portcullis: %s\n' 'statically-linked-binary [usr/bin/portcullis]' 'uses-dpkg-database-directly [usr/bin/portcullis]' \
  > "$root/usr/share/lintian/overrides/portcullis"
chmod 644 "$root/usr/share/lintian/overrides/portcullis"
find "$root" -type d -exec chmod 755 {} +
# The C library is in the program where the system has it as an archive; else it is the system's.
depends=
if ldd "$stage/portcullis" > /dev/null 2>&1; then
  depends="Depends: libc6 (>= $(dpkg-query -W -f '${Version}' libc6 | cut -d- -f1)), libgcc-s1"
fi
size=$(du -k -s "$root" | cut -f1)
mkdir -p "$root/DEBIAN" "$folder"
{
  echo "Package: portcullis"
  echo "Version: $version"
  echo "Architecture: $architecture"
  echo "Maintainer: $maintainer"
  echo "Installed-Size: $size"
  if [ -n "$depends" ]; then echo "$depends"; fi
  echo "Section: utils"
  echo "Priority: optional"
  echo "Homepage: https://github.com/portcullis-dev/portcullis"
  echo "Description: gate between AI agents and the world"
  sed -n '/^extended-description/,/"""$/p' "$here/crates/portcullis/Cargo.toml" | sed -e 1d -e 's/"""$//' | tr '\n' ' ' |
    fold -s -w 76 | sed -e 's/ *$//' -e 's/^/ /'
  echo
} > "$root/DEBIAN/control"
(cd "$root" && find usr -type f -exec md5sum {} + | LC_ALL=C sort -k2 > DEBIAN/md5sums)
chmod 644 "$root/DEBIAN/control" "$root/DEBIAN/md5sums"
out=$folder/portcullis_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz -z1 --build "$root" "$out" > /dev/null
echo "$out"
