/** Families of secrets by their shape, after the rules of public secret scanners (gitleaks, TruffleHog). */

import { tokenPrefixes as of } from "../token-prefixes.ts";

export interface Family {
	/** What the user reads: "GitHub token". */
	readonly name: string;
	/** One of these is in every text that has such a secret; compared without case. Cheaper than the pattern. */
	readonly words: readonly string[];
	/** The secret is the first group, or the whole match. */
	readonly pattern: RegExp;
	/** Below this entropy (bits a character) a match is a placeholder. */
	readonly entropy: number;
	/** True when the start of the secret says only whose it is, and may be shown. */
	readonly hasPrefix: boolean;
}

/** Not inside a word; the `n` of an escaped line break is none. */
const start = "(?:(?<![A-Za-z0-9_])|(?<=\\\\[nrt]))";
const end = "(?![A-Za-z0-9])";
/** Between the name of a vendor and its secret: the rest of the name, and an assignment. */
const assigned = `[ \\t\\w.-]{0,20}\\\\?["'\\]]{0,2}\\s{0,3}(?:=|:|,|\\|\\|)[>=]?\\s{0,3}\\\\?["'\`]?`;
const defaultEntropy = 2.5;
/** Beside a vendor's name, hex of low entropy is a color, a version or a hash of zeros. */
const namedEntropy = 3;

/** A secret that starts with what its vendor gave it. */
function token(name: string, word: string, source: string, entropy = defaultEntropy): Family {
	return {
		name,
		words: [word.toLowerCase()],
		pattern: new RegExp(start + source + end, "g"),
		entropy,
		hasPrefix: true,
	};
}

/** A secret without a mark of its own, assigned to a name that has one of these words. */
function named(name: string, words: string, source: string, entropy = namedEntropy): Family {
	return {
		name,
		words: words.toLowerCase().split("|"),
		pattern: new RegExp(`(?:${words})${assigned}(${source})(?![\\w/+-])`, "gi"),
		entropy,
		hasPrefix: false,
	};
}

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const hex32 = "[a-f0-9]{32}";
const alnum32 = "[a-z0-9]{32}";

const models: readonly Family[] = [
	token("Anthropic key", "sk-ant-", `${of.sk}ant-[a-z]{3,8}\\d\\d-[\\w-]{20,}`),
	token("OpenRouter key", "sk-or-", `${of.sk}or-v1-[a-f0-9]{32,}`),
	token("OpenAI key", of.sk, `${of.sk}(?:proj|svcacct|admin|None)-[\\w-]{20,}`),
	token("API key (sk-…)", of.sk, `${of.sk}(?=[A-Za-z0-9_-]{0,200}\\d)[A-Za-z0-9]{20,}[\\w-]*`, 3.5),
	token("Google API key", of.google, `${of.google}[\\w-]{35}`),
	token("Hugging Face token", of.huggingFace, `${of.huggingFace}[A-Za-z]{34}`),
	token("Hugging Face organization token", "api_org_", "api_org_[A-Za-z]{34}"),
	token("Groq key", of.groq, `${of.groq}[A-Za-z0-9]{48,}`),
	token("xAI key", of.xai, `${of.xai}[A-Za-z0-9]{70,}`),
	token("Perplexity key", "pplx-", "pplx-[A-Za-z0-9]{48}"),
	token("Replicate token", "r8_", "r8_[A-Za-z0-9]{37}"),
	token("Fireworks key", "fw_", "fw_[A-Za-z0-9]{22,24}", 3.5),
	token("LangSmith key", "lsv2_", "lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
	token("Pinecone key", "pcsk_", "pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,}"),
	token("Nvidia key", "nvapi-", "nvapi-[\\w-]{60,}"),
	token("Cerebras key", "csk-", "csk-[a-z0-9]{40,}"),
	named("Cohere key", "cohere|CO_API_KEY", "[a-zA-Z0-9]{40}", 4),
	named("Mistral key", "mistral", "[a-zA-Z0-9]{32}", 3.5),
	named("ElevenLabs key", "elevenlabs|eleven_labs", "(?:sk_)?[a-f0-9]{32,48}"),
	named("Deepgram key", "deepgram", "[a-f0-9]{40}"),
];

const clouds: readonly Family[] = [
	token("AWS access key", "A", `${of.aws}[A-Z0-9]{16}`, 3),
	named("AWS secret key", "aws|secret_access_key|secretaccesskey", "[A-Za-z0-9/+]{40}", 4),
	token("AWS Bedrock key", "ABSK", "ABSK[A-Za-z0-9+/]{80,}={0,2}"),
	token("AWS Bedrock short key", "bedrock-api-key-", "bedrock-api-key-[A-Za-z0-9+/=]{20,}"),
	token("Google OAuth client secret", "GOCSPX-", "GOCSPX-[\\w-]{28}"),
	token("Google OAuth token", "ya29.", "ya29\\.[\\w-]{20,}"),
	token("Azure AD client secret", "Q~", "[a-zA-Z0-9_~.]{3}\\dQ~[\\w~.-]{31,34}", 3),
	token("Azure storage key", "AccountKey=", "AccountKey=[A-Za-z0-9+/]{86}=="),
	token("Azure DevOps token", "AZDO", "[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
	token("Alibaba access key", "LTAI", "LTAI[A-Za-z0-9]{20}"),
	named("Alibaba secret key", "alibaba|aliyun", "[a-z0-9]{30}"),
	token("DigitalOcean token", "_v1_", "do[opr]_v1_[a-f0-9]{64}"),
	token("Cloudflare origin key", "v1.0-", "v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
	named("Cloudflare key", "cloudflare", "[a-z0-9_-]{40}|[a-f0-9]{37}", 3.5),
	token(
		"Fly.io token",
		"fm",
		"(?:fo1_[\\w-]{43}|fm1[ar]_[A-Za-z0-9+/]{100,}={0,3}|fm2_[A-Za-z0-9+/]{100,}={0,3})",
	),
	token("Fly.io token (personal)", "fo1_", "fo1_[\\w-]{43}"),
	token("Heroku key", "HRKU-AA", "HRKU-AA[\\w-]{58}"),
	named("Heroku key (UUID)", "heroku", uuid),
	token("Databricks token", "dapi", "dapi[a-f0-9]{32}(?:-\\d)?", 3),
	token("HashiCorp Terraform token", ".atlasv1.", "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,70}"),
	token("HashiCorp Vault token", "hvs.", "hvs\\.[\\w-]{90,120}"),
	token("HashiCorp Vault batch token", "hvb.", "hvb\\.[\\w-]{138,300}"),
	named("HashiCorp Vault token (old)", "vault", "s\\.[a-z0-9]{24}", 3.5),
	token("Pulumi token", "pul-", "pul-[a-f0-9]{40}"),
	token("PlanetScale token", "pscale_", "pscale_(?:tkn|oauth|pw)_[\\w=.-]{32,64}"),
	token("Supabase token", "sbp_", "sbp_[a-f0-9]{40}"),
	token("OpenShift token", "sha256~", "sha256~[\\w-]{43}"),
	token("Yandex token", "t1.", "t1\\.[A-Z0-9a-z_-]+={0,2}\\.[A-Z0-9a-z_-]{86}={0,2}"),
	token("Yandex API key", "AQVN", "AQVN[\\w-]{35,38}"),
	token("Yandex AWS key", "YC", "YC[a-zA-Z0-9_-]{38}", 3.5),
	token("Netlify token", "nfp_", "nfp_[A-Za-z0-9]{36}"),
	named("Netlify token (old)", "netlify", "[a-z0-9=_-]{40,46}", 3.5),
	token("Vercel token", "vc", "(?:vcp|vci|vca|vcr|vck)_[A-Za-z0-9]{24,}", 3.5),
	token("Scalingo token", "tk-us-", "tk-us-[\\w-]{48}"),
	token("Tailscale key", "tskey-", "tskey-[a-z]{2,10}-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{16,})?"),
	token(
		"Doppler token",
		"dp.",
		"dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_]{2,35}\\.)?[A-Za-z0-9]{40,44}",
	),
	token(
		"1Password secret key",
		"A3-",
		"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
		3.5,
	),
	token("1Password service account token", "ops_eyJ", "ops_eyJ[a-zA-Z0-9+/]{250,}={0,3}"),
	token("ClickHouse Cloud key", "4b1d", "4b1d[A-Za-z0-9]{38}", 3),
	token("Infracost token", "ico-", "ico-[A-Za-z0-9]{32}", 3),
	named("Confluent token", "confluent", "[a-z0-9]{64}|[a-z0-9]{16}", 3.2),
	named("DigitalOcean Spaces key", "spaces_secret", "[A-Za-z0-9+/]{43}", 4),
	named("Fastly token", "fastly", "[a-z0-9=_-]{32}", 3.5),
	token("Defined Networking token", "dnkey-", "dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"),
];

const development: readonly Family[] = [
	token("GitHub token", "gh", `${of.github}[A-Za-z0-9]{30,}`, 3),
	token("GitHub fine-grained token", of.githubFineGrained, `${of.githubFineGrained}\\w{36,}`, 3),
	token(
		"GitLab token",
		"gl",
		"gl(?:pat|ptt|rt|cbt|dt|ft|imt|agent|soat|ffct|oas)-[\\w-]{20,}(?:\\.[\\w.-]{2,40})?",
		3,
	),
	token("GitLab runner token", "GR1348941", "GR1348941[\\w-]{20}", 3),
	token("GitLab session", "_gitlab_session=", "_gitlab_session=[0-9a-z]{32}"),
	token("npm token", of.npm, `${of.npm}(?=[A-Za-z]{0,35}\\d)[A-Za-z0-9]{36}`, 3),
	token("PyPI token", of.pypi, `${of.pypi}AgEIcHlwaS5vcmc[\\w-]{50,}`),
	token("RubyGems key", "rubygems_", "rubygems_[a-f0-9]{48}"),
	token("NuGet key", "oy2", "oy2[a-z0-9]{43}", 3.5),
	token("Clojars token", "CLOJARS_", "CLOJARS_[A-Za-z0-9]{60}"),
	token("crates.io token", "cio", "cio[A-Za-z0-9]{32}", 3.5),
	token("Artifactory key", "AKCp", "AKCp[A-Za-z0-9]{69}", 4),
	token("Artifactory reference token", "cmVmd", "cmVmd[A-Za-z0-9]{59}", 4),
	named("JFrog key", "jfrog|artifactory|bintray|xray", "[a-z0-9]{73}|[a-z0-9]{64}", 3.5),
	token("Docker Hub token", "dckr_", "dckr_(?:pat|oat)_[\\w-]{27,32}"),
	token("Atlassian token", "ATATT3", "ATATT3[A-Za-z0-9_=-]{186}", 3.5),
	named("Atlassian token (old)", "atlassian|confluence|jira", "[a-z0-9]{20}[a-f0-9]{4}", 3.5),
	token("Bitbucket app password", "ATBB", "ATBB[A-Za-z0-9]{28,32}", 3.5),
	named("Bitbucket client", "bitbucket", `${alnum32}|[a-z0-9=_-]{64}`, 3.5),
	token("Buildkite token", "bk", "bk(?:ua|aj|ct)_[a-f0-9]{40}"),
	token("CircleCI token", "CCIP", "CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}"),
	named("Codecov token", "codecov", alnum32),
	named("Travis CI token", "travis", "[a-z0-9]{22}", 3.7),
	named("Drone CI token", "droneci|drone_token", alnum32),
	named("Snyk token", "snyk", uuid),
	token("Sentry token", "sntry", "sntry(?:s_eyJ[A-Za-z0-9+/=_]{60,}|u_[a-f0-9]{64})", 3),
	named("Sentry token (old)", "sentry", "[a-f0-9]{64}"),
	token("SonarQube token", "sq", "sq[upa]_[a-f0-9]{40}"),
	named("SonarQube token (old)", "sonar", "[a-z0-9=_-]{40}", 3.5),
	token("Sourcegraph token", "sgp_", "sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}"),
	token("Postman key", "PMAK-", "PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
	token("ReadMe key", "rdme_", "rdme_[a-z0-9]{70}"),
	token("Prefect token", "pnu_", "pn[ub]_[A-Za-z0-9]{36}", 3),
	token("Octopus Deploy key", "API-", "API-[A-Z0-9]{26,}", 3.2),
	token("Harness token", "pat.", "(?:pat|sat)\\.[\\w-]{22}\\.[a-f0-9]{24}\\.[A-Za-z0-9]{20}"),
	token("Harness service token", "sat.", "sat\\.[\\w-]{22}\\.[a-f0-9]{24}\\.[A-Za-z0-9]{20}"),
	token("Linear key", "lin_api_", "lin_(?:api|oauth)_[A-Za-z0-9]{40,}"),
	named("Linear client secret", "linear", hex32, 3.2),
	token("Notion token", "ntn_", "ntn_\\d{11}[A-Za-z0-9]{35}"),
	token("Notion token (old)", "secret_", "secret_[A-Za-z0-9]{43}", 3.5),
	token("Figma token", "figd_", "figd_[\\w-]{40,}"),
	token("Airtable token", "pat", "pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}"),
	named("Airtable key", "airtable", "key[a-z0-9]{14}|[a-z0-9]{17}", 3.2),
	named("Asana secret", "asana", `\\d{16}|${alnum32}`, 2.5),
	token("Asana token", "1/", "1/\\d{16}(?:/\\d{16})?:[a-f0-9]{32}"),
	named("Algolia key", "algolia", alnum32),
	named("LaunchDarkly key", "launchdarkly", "[a-z0-9=_-]{40}", 3.5),
	token("LaunchDarkly SDK key", "-", `(?:sdk|api|mob)-${uuid}`),
	named("Okta token", "okta", "00[\\w=-]{40}", 3.5),
	token("Grafana key", "eyJrIjoi", "eyJrIjoi[A-Za-z0-9]{70,400}={0,3}"),
	token("Grafana Cloud token", "glc_", "glc_[A-Za-z0-9+/]{32,400}={0,3}", 3),
	token("Grafana service account token", "glsa_", "glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}", 3),
	token(
		"New Relic key",
		"NR",
		"NR(?:AK-[A-Z0-9]{27}|JS-[a-f0-9]{19}|II-[\\w-]{32}|IQ-[\\w-]{32}|AA-[a-f0-9]{27})",
	),
	token("Dynatrace token", "dt0", "dt0[a-z]\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}"),
	named("Datadog key", "datadog|dd_api|dd_app", "[a-z0-9]{40}|[a-f0-9]{32}"),
	named("Sumo Logic key", "sumo", "su[a-z0-9]{12}|[a-z0-9]{64}", 2.5),
	token("Honeycomb key", "hc", "hc[abik]ik_[a-z0-9]{58}"),
	token("PostHog key", "ph", "ph[xsr]_[A-Za-z0-9]{40,}", 3),
	token("age key", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
	token("Kubernetes service token", "eyJhbGci", "eyJhbGci[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]{20,}", 3),
	token("JSON web token", of.jwt, `${of.jwt}[\\w-]{8,}\\.${of.jwt}[\\w/-]{8,}\\.[\\w/-]{10,}={0,2}`, 3),
	token("ngrok key", "ngrok", "(?:ngrok_)?2[A-Za-z0-9]{26}_[A-Za-z0-9]{20,22}", 3.5),
	token("Contentful token", "CFPAT-", "CFPAT-[\\w-]{43}"),
	named("Contentful delivery token", "contentful", "[a-z0-9=_-]{43}", 3.5),
	token(
		"Authress key",
		".acc",
		"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}",
	),
	token("SettleMint token", "sm_", "sm_(?:aat|pat|sat)_[A-Za-z0-9]{16}"),
	named(
		"Sidekiq secret",
		"BUNDLE_ENTERPRISE__CONTRIBSYS__COM|BUNDLE_GEMS__CONTRIBSYS__COM",
		"[a-f0-9]{8}:[a-f0-9]{8}",
		2.5,
	),
	named("Freemius key", "secret_key", "sk_[^\\s'\"\\\\]{29}"),
	named("Private AI key", "privateai|private_ai|private-ai", alnum32),
	named("Cisco Meraki key", "meraki", "[0-9a-f]{40}"),
	named("Looker client secret", "looker", "[a-z0-9]{24}|[a-z0-9]{20}", 3.5),
	named("Kraken key", "kraken", "[a-z0-9/=_+-]{80,90}", 3.5),
	named("KuCoin key", "kucoin", `${uuid}|[a-f0-9]{24}`),
	named("Bittrex key", "bittrex", alnum32),
	named("Coinbase token", "coinbase", "[\\w-]{64}", 3.5),
	named("Etsy token", "etsy", "[a-z0-9]{24}", 3.5),
	named("Finnhub token", "finnhub", "[a-z0-9]{20}", 3.5),
	named("FreshBooks token", "freshbooks", "[a-z0-9]{64}"),
	named("Lob key", "lob", "(?:(?:live|test)(?:_pub)?)_[a-f0-9]{31,35}"),
	named("New York Times token", "nytimes|new-york-times|newyorktimes", "[a-z0-9=_-]{32}", 3.5),
	named("RapidAPI token", "rapidapi", "[\\w-]{50}", 3.5),
	named("Squarespace token", "squarespace", uuid),
	named("Unsplash token", "unsplash", "[a-z0-9=_-]{43}", 3.5),
	token("Intra42 secret", "s-s4t2", "s-s4t2(?:ud|af)-[a-f0-9]{64}"),
	token("MaxMind key", "_mmk", "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
	token("Frame.io token", "fio-u-", "fio-u-[\\w=-]{64}"),
	token("Rootly token", "rootly_", "rootly_[a-f0-9]{64}"),
	named("Adafruit key", "adafruit", "(?:aio_)?[\\w-]{28,32}", 3.5),
	named("Adobe client id", "adobe", hex32),
	token("Adobe client secret", "p8e-", "p8e-[A-Za-z0-9]{32}"),
	named("Beamer token", "beamer", "b_[a-z0-9=_-]{44}", 3.5),
];

const messagesAndMoney: readonly Family[] = [
	token("Slack token", "xox", `${of.slack}(?:\\.${of.slack})?-[A-Za-z0-9-]{10,}`, 2.5),
	token("Slack app token", "xapp-", `${of.slackApp}-\\d-[A-Z0-9]+-\\d+-[A-Za-z0-9]+`),
	token(
		"Slack webhook",
		"hooks.slack.com",
		"hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,60}",
	),
	token("Discord webhook", "/api/webhooks/", "discord(?:app)?\\.com/api/webhooks/\\d{17,20}/[\\w-]{60,72}"),
	token("Discord bot token", ".", "[MNO][A-Za-z0-9_-]{23,25}\\.[\\w-]{6}\\.[\\w-]{27,38}", 4),
	named("Discord secret", "discord", `[a-f0-9]{64}|[a-z0-9=_-]{32}|\\d{18}`, 2.8),
	token(
		"Microsoft Teams webhook",
		"webhook.office.com",
		"[a-z0-9]+\\.webhook\\.office\\.com/webhookb2/[\\w@-]{60,90}/IncomingWebhook/[a-z0-9]{32}/[\\w-]{36}",
	),
	token("Telegram bot token", ":A", "\\d{5,16}:A[\\w-]{34}", 3),
	token("Twilio key", "SK", "SK[0-9a-f]{32}", 3),
	named("Twilio token", "twilio", hex32),
	token("SendGrid key", "SG.", "SG\\.[\\w-]{22}\\.[\\w-]{43}"),
	named("SendGrid key (old)", "sendgrid", "SG\\.[\\w=.-]{66}"),
	token("Brevo key", "xkeysib-", "xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
	token("Mailgun key", "key-", "(?:pub)?key-[a-f0-9]{32}"),
	named("Mailgun signing key", "mailgun", "[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}"),
	token("Mailchimp key", "-us", "[a-f0-9]{32}-us\\d{1,2}"),
	token("Mapbox token", "k.", "[ps]k\\.[A-Za-z0-9]{60,100}\\.[\\w-]{22}"),
	named("Mattermost token", "mattermost", "[a-z0-9]{26}", 3.5),
	named("MessageBird token", "messagebird|message_bird|message-bird", `[a-z0-9]{25}|${uuid}`),
	named("Sendbird token", "sendbird", `[a-f0-9]{40}|${uuid}`),
	named("Gitter token", "gitter", "[\\w-]{40}", 3.5),
	named("HubSpot key", "hubspot", uuid),
	token("HubSpot app token", "pat-", `pat-[a-z]{2}\\d-${uuid}`),
	named("Intercom key", "intercom", "[a-z0-9=_-]{60}", 3.5),
	named("Jotform or Typeform key", "typeform", "tfp_[\\w=.-]{59}"),
	token("Typeform token", "tfp_", "tfp_[\\w.=-]{40,60}", 3),
	named("Zendesk key", "zendesk", "[a-z0-9]{40}"),
	named("Facebook secret", "facebook", hex32),
	token("Facebook token", "EAA", "EAA[MC][A-Za-z0-9]{100,}", 3.5),
	named("Instagram token", "instagram", "IG[\\w-]{60,}|[a-f0-9]{32}"),
	named(
		"Twitter key",
		"twitter",
		"[a-z0-9]{25}|[a-z0-9]{45}|[a-z0-9]{50}|\\d{15,25}-[a-zA-Z0-9]{20,40}",
		3.2,
	),
	token("Twitter bearer token", "AAAAAAAA", "A{22}[a-zA-Z0-9%]{80,100}", 3),
	named("LinkedIn key", "linkedin|linked_in|linked-in", "[a-z0-9]{14}|[a-z0-9]{16}", 3.2),
	named("Twitch token", "twitch", "[a-z0-9]{30}"),
	named("Trello key", "trello", "[a-zA-Z0-9-]{32}", 3.5),
	named(
		"Dropbox token",
		"dropbox",
		"sl\\.[a-z0-9=_-]{130,}|[a-z0-9]{15}|[a-z0-9]{11}AAAAAAAAAA[a-z0-9=_-]{43}",
		3.2,
	),
	token("Dropbox short-lived token", "sl.", "sl\\.[\\w-]{130,}", 4),
	token("Stripe key", "k_", "(?:sk|rk|pk)_(?:test|live|prod)_[A-Za-z0-9]{10,}", 2.5),
	token("Stripe webhook secret", "whsec_", "whsec_[A-Za-z0-9+/]{32,}"),
	token("Square token", "EAAA", "EAAA[\\w-]{22,60}", 3.5),
	token("Square secret", "sq0", "sq0(?:atp|csp|idp)-[\\w-]{22,43}"),
	token("Shopify token", "shp", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
	token("Shippo token", "shippo_", "shippo_(?:live|test)_[a-fA-F0-9]{40}"),
	token("EasyPost key", "EZ", "EZ[AT]K[A-Za-z0-9]{54}"),
	token("Duffel token", "duffel_", "duffel_(?:test|live)_[\\w=-]{43}"),
	token("Flutterwave key", "FLW", "FLW(?:PUB|SEC)K(?:_TEST)?-?[a-hA-H0-9]{12,32}(?:-X)?"),
	token("Plaid token", "access-", `access-(?:sandbox|development|production)-${uuid}`),
	named("Plaid key", "plaid", "[a-z0-9]{30}|[a-z0-9]{24}", 3.5),
	token("GoCardless token", "live_", "live_[\\w=-]{40}", 3.5),
	token(
		"PayPal Braintree token",
		"access_token$",
		"access_token\\$(?:production|sandbox)\\$[a-z0-9]{16}\\$[a-f0-9]{32}",
	),
	named("Finicity secret", "finicity", "[a-f0-9]{32}|[a-z0-9]{20}", 3.2),
	named("Yandex metrica or wallet key", "yandex", "[a-z0-9]{32}|[\\w-]{40}", 3.5),
	token("Shodan or OneSignal key", "os_v2_", "os_v2_(?:app|org)_[a-z2-7]{60,120}"),
];

export const families: readonly Family[] = [...models, ...clouds, ...development, ...messagesAndMoney];
