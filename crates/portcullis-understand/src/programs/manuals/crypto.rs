//! The options of GnuPG and OpenSSL.

use super::{Dashes, Manual, Words};

pub(super) static GPG: Manual = Manual {
    programs: &["gpg"],
    source: "gpg(1) 2.2",
    abbreviates: true,
    flags: Words(
        "--allow-freeform-uid --allow-multiple-messages --allow-non-selfsigned-uid \
        --allow-secret-key-import --allow-weak-digest-algos --allow-weak-key-signatures \
        --always-trust --armor --ask-cert-expire --ask-cert-level --ask-sig-expire \
        --auto-check-trustdb --auto-key-import --auto-key-retrieve --batch \
        --bzip2-decompress-lowmem --card-status --change-pin --check-signatures --check-sigs \
        --check-trustdb --clear-sign --clearsign --dearmor --debug-all --debug-iolbf --decrypt \
        --decrypt-files --default-cert-expire --default-recipient-self --default-sig-expire \
        --detach-sign --disable-dirmngr --disable-dsa2 --disable-large-rsa --disable-mdc \
        --disable-signer-uid --dump-options --edit-card --edit-key --emit-version --enable-dsa2 \
        --enable-large-rsa --enable-progress-filter --enable-special-filenames --enarmor \
        --encrypt --encrypt-files --escape-from-lines --exit-on-status-write-error --expert \
        --export-ownertrust --export-secret-keys --export-secret-subkeys --export-ssh-key \
        --fast-import --fast-list-mode --fingerprint --fixed-list-mode --for-your-eyes-only \
        --forbid-gen-key --force-mdc --force-sign-key --force-v3-sigs --force-v4-certs \
        --full-gen-key --full-generate-key --full-key --gen-key --generate-key --gnupg \
        --gpgconf-list --gpgconf-test --help --ignore-crc-error --ignore-mdc-error \
        --ignore-time-conflict --ignore-valid-from --import-ownertrust --include-key-block \
        --interactive --key-edit --legacy-list-mode --list-config --list-gcrypt-config \
        --list-only --list-packets --list-public-key --list-public-keys --list-secret-keys \
        --list-signatures --list-sigs --locate-external-keys --locate-keys --lock-multiple \
        --lock-never --lock-once --mangle-dos-filenames --min-cert-level --multifile --no \
        --no-autostart --no-comments --no-default-keyring --no-expensive-trust-checks \
        --no-greeting --no-groups --no-literal --no-permission-warning --no-random-seed-file \
        --no-secmem-warning --no-sig-cache --no-tty --not-dash-escaped --openpgp \
        --override-compliance-check --preserve-permissions --print-mds --quiet \
        --rebuild-keydb-caches --refresh-keys --require-compliance --require-cross-certification \
        --require-secmem --rfc2440 --rfc4880 --rfc4880bis --set-filesize --show-keyring \
        --show-keys --show-notation --show-photos --show-policy-url --sign \
        --skip-hidden-recipients --skip-verify --store --symmetric --textmode --try-all-secrets \
        --update-trustdb --use-agent --use-embedded-filename --utf8-strings --verbose \
        --verify-files --version --warranty --with-fingerprint --with-icao-spelling \
        --with-key-data --with-key-origin --with-keygrip --with-secret --with-subkey-fingerprint \
        --with-wkd-hash -K -a -b -c -d -e -h -i -k -n -q -s -t -v",
    ),
    values: Words(
        "--attribute-fd --auto-key-locate --bzip2-compress-level --cert-digest-algo \
        --cert-notation --cert-policy-url --cipher-algo --command-fd --comment \
        --completes-needed --compliance --compress-algo --compress-level --debug --debug-level \
        --default-cert-level --default-keyserver-url --default-new-key-algo \
        --default-preference-list --default-recipient --digest-algo --disable-cipher-algo \
        --disable-pubkey-algo --display-charset --encrypt-to --export-filter --export-options \
        --faked-system-time --group --hidden-encrypt-to --hidden-recipient --import-filter \
        --import-options --input-size-hint --key-origin --keyid-format --known-notation \
        --limit-card-insert-tries --logger-fd --marginals-needed --max-cert-depth --max-output \
        --min-rsa-length --passphrase-repeat --personal-cipher-preferences \
        --personal-compress-preferences --personal-digest-preferences --pgp6 --pgp7 --pgp8 \
        --pinentry-mode --recipient --request-origin --s2k-cipher-algo --s2k-count \
        --s2k-digest-algo --s2k-mode --sender --set-filename --set-notation --set-policy-url \
        --sig-keyserver-url --sig-notation --sig-policy-url --status-fd --tofu-default-policy \
        --trust-model --trusted-key --try-secret-key --ungroup --verify-options --weak-digest -N -R -r",
    ),
    either: Words(
        "--card-edit --change-passphrase --delete-keys --delete-secret-and-public-key \
        --delete-secret-keys --desig-revoke --dry-run --export --fetch-keys --gen-prime \
        --gen-random --gen-revoke --generate-designated-revocation --generate-revocation \
        --import --list-keys --list-options --lsign-key --no-symkey-cache --passwd --print-md \
        --quick-add-key --quick-add-uid --quick-gen-key --quick-generate-key --quick-lsign-key \
        --quick-revoke-sig --quick-revoke-uid --quick-set-expire --quick-set-primary-uid \
        --quick-sign-key --receive-keys --recv-keys --search-keys --send-keys --show-session-key \
        --sign-key --throw-keyids --tofu-policy --verify --with-colons --yes -z",
    ),
    followed: Words("--output -o"),
    reads: Words(
        "--command-file --hidden-recipient-file --keyring --primary-keyring --recipient-file \
        --secret-keyring --trustdb-name -F -f",
    ),
    writes: Words("--attribute-file --log-file --logger-file --status-file"),
    runs: Words("--agent-program --dirmngr-program --photo-viewer"),
    loads: Words("--exec-path --homedir --load-extension --options"),
    reaches: Words("--keyserver --keyserver-options"),
    secrets: Words(
        "--default-key --gpg-agent-info --local-user --override-session-key \
        --override-session-key-fd --passphrase --passphrase-fd --passphrase-file -u",
    ),
    ..Manual::EMPTY
};

pub(super) static OPENSSL: Manual = Manual {
    programs: &["openssl"],
    source: "openssl(1) 3.0 and the manual pages of its commands",
    dashes: Dashes::One,
    glued: Words(
        "-aes -aria -bf -blake -camellia -cast -chacha -des -dsa -dtls -ecdh -ecdsa -ed25519 \
        -ed448 -gost -idea -md -no- -no_ -pvk -rc -ripemd -rmd -rsa -seed -sha -shake -sm -ssl \
        -suiteB -tls -v -whirlpool -x25519 -x448",
    ),
    flags: Words(
        "-2 -3 -4 -5 -6 -A -EncryptedData_decrypt -EncryptedData_encrypt -F4 -HTTP -LMK -P \
        -RSAPublicKey_in -RSAPublicKey_out -V -WWW -a -accept_raverified -accept_unprot_err \
        -accept_unprotected -add -aead -aes128 -aes128-wrap -aes192 -aes192-wrap -aes256 \
        -aes256-wrap -aixmd5 -allow_proxy_certs -anti_replay -apr1 -aria128 -aria192 -aria256 \
        -asciicrlf -asn1parse -asymcipher-algorithms -async -b -badsig -base64 -batch -bugs \
        -build_chain -c -cacerts -cades -camellia128 -camellia192 -camellia256 -cert_chain \
        -certin -certs -check -check_named -check_ss_sig -cipher-algorithms -cipher-commands \
        -ciphers -clcerts -client_renegotiation -clrext -clrreject -clrtrust -cmsout -commands \
        -comp -compat -compress -configdir -cpusettings -create_serial -crl_check -crl_check_all \
        -crl_download -crlf -crlfeol -crlnumber -crls -ct -ctlogfile -d -dane_ee_no_namechecks \
        -data_create -data_out -dateopt -dates -dcert_chain -debug -debug_decrypt -decoders \
        -decrypt -delete -derive -des -des3-wrap -descert -digest-algorithms -digest-commands \
        -digest_create -digest_verify -dirnamesep -disable_confirm -disabled -dsaparam -dsoext \
        -dtls -dtls1 -dtls1_2 -dump -e -elapsed -email -enable_pha -encoders -encrypt -engines \
        -enginesdir -explicit_policy -export -ext_cache -extended_crl -f -f4 -fallback_scsv \
        -fips-fingerprint -generate -genkey -genparam -grant_implicitconf -h -hash -hash_old \
        -help -hex -http_server_binmode -i -idea -ignore_critical -ignore_err -ignore_keyusage \
        -ignore_unexpected_eof -implicit_confirm -indef -infiles -info -inhibit_any -inhibit_map \
        -issuer_checks -issuer_hash -issuer_hash_old -kdf-algorithms -kem-algorithms \
        -key-exchange-algorithms -key-managers -keyex -keys -keysig -lastupdate -legacy \
        -legacy_renegotiation -legacy_server_connect -list_curves -listen -listsep -m \
        -mac-algorithms -maciter -modify -modulesdir -modulus -msg -msie_hack -multivalue-rdn -n \
        -nbio -nbio_test -new -newhdr -next_serial -nextupdate -no_alt_chains -no_anti_replay \
        -no_attr_verify -no_ca_names -no_cache -no_cert_checks -no_cert_verify -no_certs \
        -no_chain -no_check_time -no_comp -no_conditional_errors -no_content_verify -no_dhe \
        -no_etm -no_explicit -no_ign_eof -no_intern -no_legacy_server_connect -no_public \
        -no_renegotiation -no_resume_ephemeral -no_resumption_on_reneg -no_security_checks \
        -no_seed -no_signature_verify -no_ssl3 -no_ticket -no_tls1 -no_tls1_1 -no_tls1_2 \
        -no_tls1_3 -noattr -nocert -nocerts -nochain -nocommands -nocrl -nocrypt -noct -nodes \
        -nodetach -noemailDN -noenc -noindef -nointern -noiter -nokeys -nomac -nomaciter \
        -nomacver -nonce -none -noout -nopad -nosalt -noservername -nosigs -nosmimecap -notext \
        -noverify -num_tickets -o -oaep -objects -ocsp_uri -ocspid -old -p -param_out \
        -partial_chain -pbkdf2 -pk7out -pkcs -policy_check -policy_oids_critical -policy_print \
        -precert -preserveDN -preserve_dates -prexit -print -print_certs -providers -pubcheck \
        -pubin -pubkey -public-key-algorithms -public-key-methods -pubout -pvk-none -pvk-strong \
        -pvk-weak -query -quiet -r -random-generators -random-instances -raw \
        -receipt_request_all -receipt_request_first -receipt_request_print -reconnect -reply \
        -req -req_text -reqin_new_tid -resign -resp_key_id -resp_no_certs -reuse -rev -reverse \
        -s -safe -scrypt -sctp -sctp_label_bug -security_debug -security_debug_verbose -seeds \
        -self_test_onload -send_error -send_unprot_err -send_unprotected -sendfile \
        -servername_fatal -serverpref -show_chain -showcerts -sign_receipt -signature-algorithms \
        -srp -srp_lateuser -srp_moregroups -srpuserseed -ssl3 -standard-commands -state \
        -stateless -status_verbose -stdin -stdname -store-loaders -stream -strictpem \
        -subject_hash -subject_hash_old -suiteB_128 -suiteB_128_only -suiteB_192 -t -table \
        -text_pub -tls1 -tls1_1 -tls1_2 -tls1_3 -tls_used -tlsextdebug -token_in -token_out \
        -topk8 -toseq -trace -traditional -trust_other -trusted_first -trustout -twopass \
        -uncompress -unlink -unprotected_errors -unprotected_requests -updatedb -use_deltas \
        -use_mock_srv -userinfo -utf8 -v -verbose -verify_quiet -verify_retcode \
        -verify_return_error -verifyrecover -vv -vvv -vvvv -x509 -x509_strict -x509toreq -x931 \
        -z",
    ),
    values: Words(
        "-CA -CAform -CAkey -CAkeyform -CAserial -CRLfile -CRLform -CSP -S -Verify -accept \
        -addext -addreject -addtrust -algorithm -allow_no_dhe_kex -alpn -async_jobs -bind -bits \
        -bufsize -bytes -cafile -caname -cert2 -certfile -certform -certopt -certpbe \
        -chainCAstore -challenge -check_after -checkemail -checkend -checkhost -checkip -checks \
        -ciphersuites -client_sigalgs -cmac -cmd -content -context -conv_form -convert \
        -copy_extensions -corrupt_desc -corrupt_type -crl_CA_compromise -crl_compromise \
        -crl_hold -crl_nextupdate -crl_reason -crldays -crlexts -crlhours -crlsec -csr -curves \
        -dane_tlsa_domain -dane_tlsa_rrdata -data -days -dcert -dcertform -debug_broken_protocol \
        -dhparam -dkey -dkeyform -dlimit -ec_conv_form -ec_param_enc -econtent_type -evp \
        -expect_sender -ext -extensions -extracerts -failure -failurebits -force_pubkey -genconf \
        -gendelta -geninfo -genstr -gn -groups -header -hmac -host -id_prefix -in -index -inform \
        -infotype -item -iter -iv -kdf -kdflen -kdfopt -keep_alive -key2 -keyfile -keyform \
        -keylen -keyopt -keypbe -kfile -length -mac -mac_name -macalg -macopt -max_early_data \
        -max_msgs -max_pipelines -max_protocol -max_send_frag -maxfraglen -mb -md -min_protocol \
        -misalign -module -mr -msg_timeout -multi -naccept -named_curve -nameopt -ndays -newkey \
        -nextprotoneg -nmin -no_middlebox -no_proxy -nrequest -offset -oid -oldcert -options \
        -originator -out_trusted -outform -own_trusted -param_enc -paramfile -passcerts -path \
        -peerform -peerkey -pkeyopt -pkeyopt_passin -pkistatus -policies -policy_oids \
        -poll_count -popo -port -post -pre -primes -propquery -provider_name -prverify -psk_hint \
        -psk_identity -psk_session -pwri_password -queryfile -rand -rcid -rctform -read_buf \
        -receipt_request_from -receipt_request_to -recip -recipient -record_padding \
        -recv_max_early_data -ref -repeat -reqexts -reqin -reqopt -respin -revoke -revreason \
        -rkey -rmd -rother -rsigner -rsigopt -rsp_capubs -rsp_cert -rsp_extracerts -rspin \
        -rspout -sans -scrypt_N -scrypt_p -scrypt_r -seconds -secretkey -secretkeyid -section \
        -section_name -select -serverinfo -sess_in -set_serial -setalias -sigalgs -sigfile \
        -sign_other -signature -signer -signkey -sigopt -spkac -spksect -split_send_frag \
        -srp_strength -srpuser -srv_cert -srv_key -srv_keypass -srv_ref -srv_secret -srv_trusted \
        -srv_untrusted -srvcert -ss_cert -starttls -status_age -status_file -status_timeout \
        -status_url -statusstring -strict -strparse -subj -time -tls_cert -tls_extra -tls_host \
        -tls_key -tls_keypass -tls_trusted -total_timeout -trusted -tspolicy -tt -unix \
        -untrusted -url -v1 -v2 -v2prf -valid -validity_period -verbosity -verifyCAstore \
        -verify_other -verify_receipt -vfyopt -wrap -xcert -xcertform -xchain -xkey -xkeyform \
        -xmpphost -xoflen",
    ),
    either: Words(
        "-1 -CAcreateserial -alias -attime -auth_level -binary -brief -cert -chain -cipher \
        -crl_lastupdate -des3 -digest -early_data -enddate -engine_impl -fingerprint -from \
        -gencrl -hexdump -ign_eof -issuer -keyid -keymatexport -keymatexportlen -list -mtu -name \
        -no-CAfile -no-CApath -no-CAstore -no_nonce -policy -prioritize_chacha -psk -purpose \
        -rand_serial -rawin -resp_text -salt -san_nodefault -selfsign -serial -server \
        -servername -sign -srpvfile -startdate -status -subject -text -timeout -to -use_srtp \
        -verify -verify_depth -verify_email -verify_hostname -verify_ip -verify_name -www \
        -xchain_build",
    ),
    followed: Words("-connect -engine -keyout -out -provider -provider-path -proxy"),
    reads: Words(
        "-CAfile -CApath -CAstore -CRL -VAfile -chainCAfile -chainCApath -extfile -requestCAfile \
        -verifyCAfile -verifyCApath",
    ),
    writes: Words(
        "-cacertsout -certout -certsout -chainout -extracertsout -keylogfile -msgfile -outdir \
        -reqout -respout -serverinfo_out -sess_out -writerand",
    ),
    loads: Words("-config -keygen_engine -ssl_client_engine -ssl_config"),
    secrets: Words(
        "-K -dpass -inkey -k -key -keypass -newkeypass -otherpass -pass -passin -passout \
        -password -proxy_pass -proxy_user -secret -srppass",
    ),
    ..Manual::EMPTY
};
