"""Rules for keys and tokens of services, by their fixed prefixes.

The services publish these forms, so matches are certain; if a form was changed, both are here.
"""

from __future__ import annotations

import re

from ragit.remote.secrets.rule import (
    EDGE,
    Rule,
    alternates_letters_and_digits,
    mixes_capitals_and_digits,
    mixes_letters_and_digits,
)

_END = r"(?![A-Za-z0-9])"

_ALONE, _NO_MORE = r"(?<![A-Za-z0-9+/=_-])", r"(?![A-Za-z0-9+/=_-])"
"""Edges of forms that would also occur within long base64."""

_DIGITS = "[MNO][DTjz][AEIMQUYcgk][w-z0-5]"
"""Three digits in base64. Discord's tokens begin with a user's number, which has no leading zero.
"""

_MODELS: tuple[Rule, ...] = (
    Rule(
        "API key", ("sk-",), EDGE + r"sk-[A-Za-z0-9_-]{20,}", mixes_capitals_and_digits
    ),  # OpenAI, Anthropic, DeepSeek, OpenRouter
    Rule("API key", ("sk_",), EDGE + r"sk_[a-f0-9]{48}" + _END),  # ElevenLabs
    Rule("API key", ("gsk_",), EDGE + r"gsk_[A-Za-z0-9]{40,}"),  # Groq
    Rule("API key", ("nvapi-",), EDGE + r"nvapi-[A-Za-z0-9_-]{40,}"),
    Rule("API key", ("jina_",), EDGE + r"jina_[A-Za-z0-9_-]{40,}"),
    Rule("API key", ("pa-",), EDGE + r"pa-[A-Za-z0-9_-]{40,}", mixes_capitals_and_digits),  # Voyage
    Rule("API key", ("xai-",), EDGE + r"xai-[A-Za-z0-9]{60,}"),
    Rule("API key", ("pplx-",), EDGE + r"pplx-[A-Za-z0-9]{40,}"),
    Rule("API key", ("tgp_v1_",), r"tgp_v1_[A-Za-z0-9_-]{40,}"),  # Together
    Rule(
        "API key", ("fw_",), EDGE + r"fw_[A-Za-z0-9]{22,}", mixes_capitals_and_digits
    ),  # Fireworks
    Rule("API key", ("r8_",), EDGE + r"r8_[A-Za-z0-9]{37}" + _END),  # Replicate
    Rule(
        "API key", ("csk-",), EDGE + r"csk-[a-z0-9]{40,}", alternates_letters_and_digits
    ),  # Cerebras
    Rule("API key", ("pcsk_",), EDGE + r"pcsk_[A-Za-z0-9_]{50,}"),  # Pinecone
    Rule(
        "API key", ("tvly-",), EDGE + r"tvly-[A-Za-z0-9-]{24,}", mixes_capitals_and_digits
    ),  # Tavily
    Rule("API key", ("lsv2_",), EDGE + r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),  # LangSmith
    Rule("Hugging Face token", ("hf_", "api_org_"), EDGE + r"(?:hf|api_org)_[A-Za-z0-9]{34,}"),
)

_CLOUDS: tuple[Rule, ...] = (
    Rule(
        "AWS key",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        EDGE + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}" + _END,
    ),
    Rule("AWS key", ("ABSK",), EDGE + r"ABSK[A-Za-z0-9+/]{100,}={0,2}"),  # Bedrock
    Rule("Google key", ("AIza",), EDGE + r"AIza[A-Za-z0-9_-]{35}"),
    Rule("Google key", ("AQ.Ab",), EDGE + r"AQ\.Ab[A-Za-z0-9_-]{40,}"),
    Rule(
        "Google token",
        ("ya29.", "GOCSPX-"),
        r"(?:ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{28})",
    ),
    Rule("Google token", ("1//0",), EDGE + r"1//0[A-Za-z0-9_-]{40,}"),
    Rule(
        "Azure key",
        ("AccountKey=", "SharedAccessKey="),
        r"(?:Account|SharedAccess)Key=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})",
    ),
    Rule("Azure secret", ("8Q~",), r"[A-Za-z0-9_~.]{3}8Q~[A-Za-z0-9_~.-]{31,34}"),
    Rule("Azure key", ("JQQJ9",), r"[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{9,40}"),
    Rule("Azure key", ("AzSe",), _ALONE + r"[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}" + _NO_MORE),
    Rule("Azure key", ("AzFu",), _ALONE + r"[A-Za-z0-9+/_-]{44}AzFu[A-Za-z0-9+/_-]{5}[AQgw]=="),
    Rule(
        "Azure key",
        ("+ASt", "+ABa", "ACDb"),
        _ALONE + r"[A-Za-z0-9+/]{76}(?:\+ASt|\+ABa|ACDb)[A-Za-z0-9+/]{6}==",
    ),
    Rule(
        "Azure key",
        ("+ARm", "+AEh", "+ASb", "AIoT"),
        _ALONE + r"[A-Za-z0-9+/]{33}(?:\+ARm|\+AEh|\+ASb|AIoT)[A-Za-z0-9+/]{6}=",
    ),
    Rule("Azure DevOps token", ("AZDO",), r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    Rule(
        "Alibaba key", ("LTAI",), EDGE + r"LTAI[A-Za-z0-9]{17,21}" + _END, mixes_letters_and_digits
    ),
    Rule("DigitalOcean token", ("_v1_",), EDGE + r"do[opr]_v1_[a-f0-9]{64}"),
    Rule("Heroku token", ("HRKU-",), r"HRKU-[A-Za-z0-9_-]{36,}"),
    Rule(
        "Fly.io token",
        ("fm1", "fm2_", "fo1_"),
        EDGE + r"(?:fm[12][a-z]?_[A-Za-z0-9+/=_-]{40,}|fo1_[A-Za-z0-9_-]{40,})",
    ),
    Rule("Cloudflare key", ("v1.0-",), EDGE + r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    Rule(
        "Tailscale key", ("tskey-",), r"tskey-[a-z]+-[A-Za-z0-9_-]{16,}", mixes_letters_and_digits
    ),
    Rule("Netlify token", ("nfp_",), EDGE + r"nfp_[A-Za-z0-9]{36,}"),
    Rule("Supabase token", ("sbp_",), EDGE + r"sbp_[a-f0-9]{40}"),
    Rule("Supabase key", ("sb_secret_",), EDGE + r"sb_secret_[A-Za-z0-9_-]{30,}"),
    Rule("PlanetScale token", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}"),
    Rule("Neon key", ("napi_",), EDGE + r"napi_[a-z0-9]{50,}"),
    Rule("Databricks token", ("dapi",), EDGE + r"dapi[a-f0-9]{32}"),
    Rule("Vault token", ("hvs.", "hvb."), EDGE + r"hv[sb]\.[A-Za-z0-9_-]{24,}"),
    Rule("Terraform token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    Rule("Pulumi token", ("pul-",), EDGE + r"pul-[a-f0-9]{40}"),
    Rule("Doppler token", ("dp.",), EDGE + r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}"),
    Rule("1Password token", ("ops_eyJ",), r"ops_eyJ[A-Za-z0-9+/=_-]{100,}"),
    Rule("age key", ("AGE-SECRET-KEY-",), r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
)

_FORGES: tuple[Rule, ...] = (
    Rule(
        "GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{36,255}"
    ),
    Rule("GitHub token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,255}"),
    Rule(
        "GitLab token",
        ("gl",),
        EDGE + r"gl(?:pat|dt|ft|soat|rt|rtr|cbt|ptt|imt|agent|oas|ffct|wt)-[A-Za-z0-9_.-]{20,}",
    ),
    Rule("GitLab token", ("GR1348941",), r"GR1348941[A-Za-z0-9_-]{20,}"),
    Rule(
        "Bitbucket token",
        ("ATBB", "ATCTT3", "ATATT3"),
        r"(?:ATBB[A-Za-z0-9]{32}|AT[AC]TT3[A-Za-z0-9_=-]{60,})",
    ),
    Rule("npm token", ("npm_",), EDGE + r"npm_[A-Za-z0-9]{36}"),
    Rule(
        "npm token", ("_authToken",), r"_authToken\s*=\s*[\"']?(?P<secret>[A-Za-z0-9+/_.=-]{16,})"
    ),
    Rule("PyPI token", ("pypi-AgE",), r"pypi-AgE[A-Za-z0-9_-]{40,}"),
    Rule("RubyGems key", ("rubygems_",), r"rubygems_[a-f0-9]{48}"),
    Rule(
        "crates.io token", ("cio",), EDGE + r"cio[A-Za-z0-9]{32}" + _END, mixes_capitals_and_digits
    ),
    Rule("NuGet key", ("oy2",), EDGE + r"oy2[a-z0-9]{43}" + _END),
    Rule("Docker token", ("dckr_",), r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    Rule(
        "Artifactory key",
        ("AKC", "cmVmdGtu"),
        EDGE + r"(?:AKC[A-Za-z0-9]{60,}|cmVmdGtu[A-Za-z0-9]{56})",
    ),
    Rule("CircleCI token", ("CCIPAT_",), r"CCIPAT_[A-Za-z0-9]{20,}_[a-f0-9]{40}"),
    Rule("Buildkite token", ("bkua_",), EDGE + r"bkua_[a-z0-9]{40}"),
    Rule("Sourcegraph token", ("sgp_",), EDGE + r"sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}"),
    Rule("Sonar token", ("squ_", "sqp_", "sqa_"), EDGE + r"sq[upa]_[a-f0-9]{40}"),
    Rule("Sentry token", ("sntry",), EDGE + r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    Rule(
        "Grafana token",
        ("glsa_", "glc_"),
        EDGE + r"(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,})",
    ),
    Rule("New Relic key", ("NRAK-", "NRII-"), r"NR(?:AK|II)-[A-Za-z0-9_-]{27,}"),
    Rule("Postman key", ("PMAK-",), r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
)

_SERVICES: tuple[Rule, ...] = (
    Rule(
        "Slack token",
        ("xox", "xapp-"),
        EDGE + r"(?:xox[abceoprs]|xapp)-[A-Za-z0-9.-]{10,}",
        mixes_letters_and_digits,
    ),
    Rule("Telegram token", (":AA",), EDGE + r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}" + _END),
    Rule(
        "Discord token",
        ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"),
        EDGE
        + rf"(?:{_DIGITS}){{5,6}}[A-Za-z0-9_-]{{0,6}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,40}}",
    ),
    Rule("Stripe key", ("_live_", "_test_"), EDGE + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    Rule("Stripe key", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{24,}"),
    Rule(
        "Razorpay key",
        ("rzp_",),
        EDGE + r"rzp_(?:live|test)_[A-Za-z0-9]{14,}",
        mixes_letters_and_digits,
    ),
    Rule("Square token", ("sq0",), EDGE + r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,43}"),
    Rule(
        "Square token",
        ("EAAA",),
        _ALONE + r"EAAA[El][A-Za-z0-9_-]{59}" + _NO_MORE,
        mixes_letters_and_digits,
    ),
    Rule(
        "Braintree token",
        ("access_token$",),
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
    ),
    Rule(
        "Plaid token",
        ("access-",),
        EDGE + r"access-(?:sandbox|development|production)-[a-f0-9-]{36}",
    ),
    Rule("SendGrid key", ("SG.",), EDGE + r"SG\.[A-Za-z0-9_-]{16,24}\.[A-Za-z0-9_-]{40,50}"),
    Rule("Brevo key", ("xkeysib-",), r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    Rule(
        "Resend key",
        ("re_",),
        EDGE + r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}" + _END,
        mixes_capitals_and_digits,
    ),
    Rule("MailerSend token", ("mlsn.",), EDGE + r"mlsn\.[a-f0-9]{64}"),
    Rule("Twilio key", ("AC",), r"AC[0-9a-f]{32}[\"'],\s{0,4}[\"'](?P<secret>[0-9a-f]{32})[\"']"),
    Rule("Twilio key", ("SK", "AC"), EDGE + r"(?:SK|AC)[0-9a-f]{32}" + _END),
    Rule("Mailchimp key", ("-us",), EDGE + r"[0-9a-f]{32}-us[0-9]{1,2}" + _END),
    Rule("Mailgun key", ("key-",), EDGE + r"key-[0-9a-f]{32}" + _END),
    Rule("Shopify token", ("shp",), EDGE + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    Rule("Facebook token", ("EAA",), EDGE + r"EAA[A-Za-z0-9]{100,}"),
    Rule("Dropbox token", ("sl.",), EDGE + r"sl\.(?:u\.)?[A-Za-z0-9_-]{120,}"),
    Rule("Figma token", ("figd_", "figo"), EDGE + r"fig(?:d|or?h?)_[A-Za-z0-9_-]{36,}"),
    Rule("Linear key", ("lin_",), EDGE + r"lin_(?:api|oauth)_[A-Za-z0-9]{40,}"),
    Rule("Notion token", ("ntn_",), EDGE + r"ntn_[A-Za-z0-9]{40,}"),
    Rule("Airtable token", ("pat",), EDGE + r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    Rule("Contentful token", ("CFPAT-",), r"CFPAT-[A-Za-z0-9_-]{43}"),
    Rule("Typeform token", ("tfp_",), EDGE + r"tfp_[A-Za-z0-9_.-]{44,}"),
    Rule("Shippo token", ("shippo_",), r"shippo_(?:live|test)_[a-f0-9]{40}"),
    Rule("Mapbox token", ("sk.eyJ",), EDGE + r"sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"),
    Rule("Adobe secret", ("p8e-",), EDGE + r"p8e-[A-Za-z0-9_-]{32}" + _END),
    Rule(
        "Laravel key",
        ("base64:",),
        r"base64:(?P<secret>[A-Za-z0-9+/]{43}=)(?![A-Za-z0-9+/=])",
        mixes_capitals_and_digits,
    ),
    Rule(
        "JWT", ("eyJ",), EDGE + r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"
    ),
)

_MORE: tuple[Rule, ...] = (
    Rule("New Relic key", ("NRAL",), EDGE + r"[A-Za-z0-9]{32,40}NRAL" + _END),
    Rule("New Relic key", ("NRJS-",), r"NRJS-[a-f0-9]{19}"),
    Rule("Firebase key", ("APA91b",), r"AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{100,}"),
    Rule("Clojars token", ("CLOJARS_",), r"CLOJARS_[a-zA-Z0-9]{60}"),
    Rule("Duffel token", ("duffel_",), r"duffel_(?:test|live)_[A-Za-z0-9_=-]{43}"),
    Rule("Dynatrace token", ("dt0",), EDGE + r"dt0[a-zA-Z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    Rule("EasyPost key", ("EZ",), EDGE + r"EZ[AT]K[A-Za-z0-9]{54}" + _END),
    Rule(
        "Flutterwave key",
        ("FLWSECK",),
        r"FLWSECK(?:_TEST)?-?[A-Za-z0-9-]{12,}",
        mixes_letters_and_digits,
    ),
    Rule("Frame.io token", ("fio-u-",), EDGE + r"fio-u-[A-Za-z0-9_=-]{64}"),
    Rule(
        "Harness key",
        ("pat.", "sat."),
        EDGE + r"[ps]at\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}",
    ),
    Rule("Infracost token", ("ico-",), EDGE + r"ico-[A-Za-z0-9]{32}" + _END),
    Rule("42 secret", ("s-s4t2",), r"s-s4t2(?:ud|af)-[a-f0-9]{64}"),
    Rule("MaxMind key", ("_mmk",), r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    Rule("Octopus key", ("API-",), EDGE + r"API-[A-Z0-9]{26}" + _END),
    Rule("OpenShift token", ("sha256~",), EDGE + r"sha256~[\w-]{43}"),
    Rule("Prefect key", ("pnu_",), EDGE + r"pnu_[a-zA-Z0-9]{36}"),
    Rule("ReadMe key", ("rdme_",), EDGE + r"rdme_[a-z0-9]{70}"),
    Rule("Scalingo token", ("tk-us-",), EDGE + r"tk-us-[\w-]{48}"),
    Rule("SettleMint token", ("sm_",), EDGE + r"sm_[aps]at_[a-zA-Z0-9]{16}"),
    Rule("ClickHouse key", ("4b1d",), EDGE + r"4b1d[A-Za-z0-9]{38}" + _END),
    Rule(
        "Authress key",
        ("sc_", "ext_", "scauth_"),
        EDGE
        + r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\."
        r"[a-z0-9+/_=-]{30,120}",
    ),
    Rule(
        "1Password key",
        ("A3-",),
        EDGE + r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    Rule("NATS seed", ("S",), EDGE + r"S[ACNOUX][A-Z2-7]{56}" + _END, mixes_letters_and_digits),
    Rule(
        "Docker token", ("SWM",), r"SWM(?:TKN-1-[a-z0-9]{50}-[a-z0-9]{25}|KEY-1-[A-Za-z0-9+/]{43})"
    ),
    Rule("AWS key", ("amzn.mws.",), r"amzn\.mws\.[0-9a-f-]{36}"),
    Rule("AWS key", ("da2-",), EDGE + r"da2-[a-z0-9]{26}" + _END),
    Rule("API key", ("LLM|",), r"LLM\|\d{10,}\|[\w-]{20,}"),
    Rule("PostHog key", ("phx_", "phs_"), EDGE + r"ph[xs]_[A-Za-z0-9]{40,}"),
    Rule("Vercel token", ("vc",), EDGE + r"vc[pikra]_[A-Za-z0-9]{20,}", mixes_capitals_and_digits),
    Rule("Picatic key", ("sk_live_",), r"sk_live_[0-9a-z]{32}"),
    Rule("Instagram token", ("IGQV",), r"IGQV[A-Za-z0-9_-]{10,}"),
    Rule("Freemius key", ("sk_",), EDGE + r"sk_[\S]{29}(?=[\"'])", mixes_capitals_and_digits),
    Rule("SonarQube token", ("sqb_",), EDGE + r"sqb_[a-f0-9]{40}"),
)

RULES: tuple[Rule, ...] = (*_MODELS, *_CLOUDS, *_FORGES, *_SERVICES, *_MORE)

_RUN = r"[A-Za-z0-9_.~+/=:$-]{20,}"


def runs(text: str) -> str:
    """Return the parts of a text in which tokens can begin, one a line; empty if none.

    Searching all prefixes in the whole text would take longer than everything else. Names of
    letters alone are skipped: a token has a mark or a digit, or is in capitals.
    """
    found = re.findall(_RUN, text)
    return "\n".join(run for run in found if run.isupper() or not run.replace(".", "").isalpha())
