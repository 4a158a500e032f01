#!/bin/sh
# Puts together what a release has for one platform, out of a program that was built:
#   packaging/package.sh TARGET PROGRAM FOLDER
# The program is started for its manual page and completions, so it must be one for this machine.
set -eu
target=$1 program=$2 folder=$3
name=portcullis-$("$program" --version | cut -d' ' -f2)-$target
stage=$folder/$name
rm -rf "$stage"
mkdir -p "$stage/completions"
cp "$program" LICENSE-APACHE LICENSE-MIT README.md CHANGELOG.md "$stage/"
"$program" man > "$stage/portcullis.1"
for shell in bash zsh fish elvish powershell; do
  "$program" completions "$shell" > "$stage/completions/portcullis.$shell"
done
case $target in
  *windows*) (cd "$folder" && 7z a -bso0 "$name.zip" "$name") ;;
  *)
    # The same files give the same archive where tar can do that.
    same=
    if tar --version | grep -q GNU; then
      same="--sort=name --owner=0 --group=0 --numeric-owner --mtime=@${SOURCE_DATE_EPOCH:-0}"
    fi
    # shellcheck disable=SC2086
    tar -C "$folder" $same -cf "$folder/$name.tar" "$name"
    gzip -nf "$folder/$name.tar"
    ;;
esac
echo "$folder/$name"
