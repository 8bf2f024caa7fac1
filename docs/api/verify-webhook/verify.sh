#!/bin/sh
# Usage: sh verify.sh WEBHOOK-ID WEBHOOK-TIMESTAMP WEBHOOK-SIGNATURE < body
# Exits with 0 if Posthorn sent this body, which must be exactly as received.
# While openssl runs, other users of the machine can see its arguments, and so the key.
id=$1 timestamp=$2 signatures=$3
max_age_seconds=300

case $timestamp in '' | 0* | *[!0-9]* | ????????????*) exit 1 ;; esac
age=$(($(date +%s) - timestamp))
[ "$age" -le "$max_age_seconds" ] && [ "$age" -ge "-$max_age_seconds" ] || exit 1

hmac() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" -binary | openssl base64 -A; }

key=$(printf %s "${POSTHORN_WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
expected="v1,$({ printf %s "$id.$timestamp." && cat; } | hmac "$key")"

# Comparing HMACs with a random key, instead of the signatures, tells an attacker nothing through its timing.
random_key=$(openssl rand -hex 32)
set -f
for signature in $signatures; do
  [ "$(printf %s "$signature" | hmac "$random_key")" = "$(printf %s "$expected" | hmac "$random_key")" ] && exit 0
done
exit 1
