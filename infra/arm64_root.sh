#!/bin/sh
# Fills a folder with what runs Lambda's Python for arm64 on another processor: infra/arm64_root.sh FOLDER
#
# The folder becomes a root directory with Debian's Python and QEMU, without /sys, as in Lambda. Needs apt, no root.
set -eu
cd "$(dirname "$0")/.."
qemu=/usr/bin/qemu-aarch64-static
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
release=trixie # the release of Debian with Lambda's Python
python=$(sed -n 's/^ *Runtime: \(python3\.[0-9]*\)$/\1/p' template.yaml | sort -u)

[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
[ -x $qemu ] || { echo "arm64_root: $qemu is missing: install qemu-user-static" >&2; exit 1; }
[ -e $keyring ] || { echo "arm64_root: $keyring is missing: install debian-archive-keyring" >&2; exit 1; }
# The archive that this machine's apt uses: the first one that is not of security updates.
archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
rm -rf "$1"
mkdir -p "$1"
root=$(cd "$1" && pwd)
apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/lists/partial" "$apt/archives/partial"
touch "$apt/status"
echo "deb [signed-by=$keyring] $archive $release main" >"$apt/sources.list"
cat >"$apt/apt.conf" <<CONFIGURATION
APT::Architecture "arm64";
APT::Architectures {"arm64";};
APT::Install-Recommends "false";
APT::Sandbox::User "$(id -un)";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
CONFIGURATION
export APT_CONFIG="$apt/apt.conf"
apt-get update -qq
apt-get install -qq --yes --download-only "$python-minimal" "lib$python-stdlib" libstdc++6

for directory in bin lib lib64 sbin; do
    mkdir -p "$root/usr/$directory"
    ln -s "usr/$directory" "$root/$directory"
done
for package in "$apt"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root" --exclude './usr/share/*'
done
cp $qemu "$root"
mkdir -p "$root/opt" "$root/proc"
# /proc/cpuinfo of Graviton2, the oldest processor that Lambda has.
printf '%s\t: %s\n' processor 0 BogoMIPS 243.75 \
    Features 'fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp ssbs' \
    'CPU implementer' 0x41 'CPU architecture' 8 'CPU variant' 0x3 'CPU part' 0xd0c 'CPU revision' 1 \
    >"$root/proc/cpuinfo"
touch "$root/.ready"
