/** Secrets made after the rules of gitleaks and TruffleHog, assembled at run time: none of them stands in this file. */

const lower = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const hex = "0123456789abcdef";
const alnum = lower + digits;
const upper = lower.toUpperCase() + digits;
const mixed = lower + upper;
const word = `${mixed}_-`;
const base64 = `${mixed}+/`;

/** The same characters each time: a test that fails for one sample fails again. */
function random(seed: number): (alphabet: string, length: number) => string {
	let state = seed >>> 0;
	const next = (): number => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
	return (alphabet, length) => {
		const text = Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join("");
		// Rules ask for a digit, which a short random text may lack.
		return length > 4 && alphabet.includes("7") && !/\d/.test(text) ? `${text.slice(0, -1)}7` : text;
	};
}

type Draw = ReturnType<typeof random>;
type Recipe = readonly [rule: string, secret: (draw: Draw) => string, context?: (secret: string) => string];

const uuid = (draw: Draw): string => [8, 4, 4, 4, 12].map((length) => draw(hex, length)).join("-");
const after =
	(prefix: string, alphabet: string, length: number, suffix = "") =>
	(draw: Draw): string =>
		prefix + draw(alphabet, length) + suffix;
const named =
	(name: string) =>
	(secret: string): string =>
		`${name} = "${secret}"`;
const variable =
	(name: string) =>
	(secret: string): string =>
		`export ${name}=${secret}\n`;

/** [rule of the scanner, the secret, what stands around it] */
const recipes: readonly Recipe[] = [
	["1password-secret-key", (d) => ["A3", ...[6, 11, 5, 5, 5].map((n) => d(upper, n))].join("-")],
	["1password-service-account-token", after("ops_eyJ", base64, 260)],
	["adafruit-api-key", after("", alnum, 32), named("adafruit_key")],
	["adobe-client-id", after("", hex, 32), named("adobe_client")],
	["adobe-client-secret", after("p8e-", mixed, 32)],
	["age-secret-key", after("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)],
	["airtable-api-key", after("key", alnum, 14), named("airtable_key")],
	["airtable-personal-access-token", (d) => `pat${d(mixed, 14)}.${d(hex, 64)}`],
	["algolia-api-key", after("", alnum, 32), variable("ALGOLIA_KEY")],
	["alibaba-access-key-id", after("LTAI", mixed, 20)],
	["alibaba-secret-key", after("", alnum, 30), named("alibaba_secret")],
	["anthropic-api-key", after("sk-ant-api03-", word, 93, "AA")],
	["anthropic-admin-api-key", after("sk-ant-admin01-", word, 93, "AA")],
	["artifactory-api-key", after("AKCp", mixed, 69)],
	["artifactory-reference-token", after("cmVmd", mixed, 59)],
	["asana-client-id", after("", digits, 16), named("asana_client_id")],
	["asana-client-secret", after("", alnum, 32), named("asana_secret")],
	["atlassian-api-token", after("ATATT3", word, 186)],
	["atlassian-api-token-old", (d) => d(alnum, 20) + d(hex, 4), named("jira_api")],
	[
		"authress-service-client-access-key",
		(d) => `sc_${d(alnum, 12)}.${d(alnum, 4)}.acc_${d(alnum, 16)}.${d(mixed, 60)}`,
	],
	["aws-access-token", after("AKIA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)],
	["aws-session-token", after("ASIA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)],
	["aws-secret-access-key", after("", base64, 40), (s) => `aws_secret_access_key = ${s}\n`],
	["aws-amazon-bedrock-api-key-long-lived", after("ABSK", base64, 109)],
	["azure-ad-client-secret", (d) => `${d(mixed, 3)}8Q~${d(word, 33)}a`],
	["azure-storage-key", (d) => `AccountKey=${d(base64, 86)}==`],
	["beamer-api-token", after("b_", alnum, 44), named("beamer_token")],
	["bitbucket-client-id", after("", alnum, 32), named("bitbucket_id")],
	["bitbucket-client-secret", after("", alnum, 64), named("bitbucket_secret")],
	["bittrex-access-key", after("", alnum, 32), named("bittrex_key")],
	["cisco-meraki-api-key", after("", hex, 40), named("meraki")],
	["clickhouse-cloud-api-secret-key", after("4b1d", mixed, 38)],
	["clojars-api-token", after("CLOJARS_", alnum, 60)],
	["cloudflare-api-key", after("", alnum, 40), variable("CLOUDFLARE_API_KEY")],
	["cloudflare-global-api-key", after("", hex, 37), variable("CLOUDFLARE_GLOBAL")],
	["cloudflare-origin-ca-key", (d) => `v1.0-${d(hex, 24)}-${d(hex, 146)}`],
	["codecov-access-token", after("", alnum, 32), variable("CODECOV_TOKEN")],
	["cohere-api-token", after("", mixed, 40), variable("CO_API_KEY")],
	["coinbase-access-token", after("", alnum, 64), named("coinbase")],
	["confluent-access-token", after("", alnum, 16), named("confluent_key")],
	["confluent-secret-key", after("", alnum, 64), named("confluent_secret")],
	["contentful-delivery-api-token", after("", alnum, 43), named("contentful")],
	["curl-auth-header", after("", mixed, 40), (s) => `curl -H "Authorization: Bearer ${s}" https://api.test/`],
	["curl-auth-user", after("", mixed, 20), (s) => `curl https://ann:${s}@api.test/`],
	["databricks-api-token", after("dapi", hex, 32)],
	["datadog-access-token", after("", alnum, 40), variable("DATADOG_APP_KEY")],
	["defined-networking-api-token", (d) => `dnkey-${d(alnum, 26)}-${d(alnum, 52)}`],
	["digitalocean-access-token", after("doo_v1_", hex, 64)],
	["digitalocean-pat", after("dop_v1_", hex, 64)],
	["digitalocean-refresh-token", after("dor_v1_", hex, 64)],
	["discord-api-token", after("", hex, 64), named("discord_token")],
	["discord-client-secret", after("", alnum, 32), named("discord_secret")],
	[
		"discord-webhook",
		(d) => `discord.com/api/webhooks/${d(digits, 18)}/${d(word, 66)}a9`,
		(s) => `https://${s}`,
	],
	["docker-pat", after("dckr_pat_", mixed, 27)],
	["doppler-api-token", after("dp.pt.", mixed, 43)],
	["droneci-access-token", after("", alnum, 32), named("droneci")],
	["dropbox-api-token", after("", alnum, 15), named("dropbox")],
	["dropbox-short-lived-api-token", after("sl.", mixed, 135)],
	["duffel-api-token", after("duffel_test_", mixed, 43)],
	["dynatrace-api-token", (d) => `dt0c01.${d(upper, 24)}.${d(upper, 64)}`],
	["easypost-api-token", after("EZAK", mixed, 54)],
	["easypost-test-api-token", after("EZTK", mixed, 54)],
	["etsy-access-token", after("", alnum, 24), named("etsy_token")],
	["facebook-secret", after("", hex, 32), named("facebook_secret")],
	["facebook-access-token", after("EAAM", mixed, 110)],
	["fastly-api-token", after("", alnum, 32), named("fastly")],
	["finicity-client-secret", after("", alnum, 20), named("finicity")],
	["finnhub-access-token", after("", alnum, 20), named("finnhub")],
	["flutterwave-secret-key", after("FLWSECK_TEST-", "abcdefgh0123456789", 32, "-X")],
	["flyio-access-token", after("fo1_", mixed, 43)],
	["flyio-macaroon", after("fm2_", base64, 120)],
	["frameio-api-token", after("fio-u-", mixed, 64)],
	["freemius-secret-key", after("sk_", mixed, 29), (s) => `"secret_key" => "${s}"`],
	["freshbooks-access-token", after("", alnum, 64), named("freshbooks")],
	["gcp-api-key", after("AIza", mixed, 35)],
	["gcp-oauth-secret", after("GOCSPX-", mixed, 28)],
	["github-pat", after("ghp_", mixed, 36)],
	["github-oauth", after("gho_", mixed, 36)],
	["github-app-token", after("ghs_", mixed, 36)],
	["github-refresh-token", after("ghr_", mixed, 36)],
	["github-fine-grained-pat", after("github_pat_", mixed, 82)],
	...["pat", "ptt", "rt", "cbt", "dt", "ft", "imt", "agent", "soat", "ffct"].map((kind): Recipe => [
		`gitlab-${kind}`,
		after(`gl${kind}-`, mixed, 25),
	]),
	["gitlab-rrt", after("GR1348941", mixed, 20)],
	["gitlab-session-cookie", after("_gitlab_session=", alnum, 32)],
	["gitter-access-token", after("", alnum, 40), named("gitter")],
	["gocardless-api-token", after("live_", mixed, 40), named("gocardless")],
	["grafana-api-key", after("eyJrIjoi", mixed, 80)],
	["grafana-cloud-api-token", after("glc_", base64, 40)],
	["grafana-service-account-token", (d) => `glsa_${d(mixed, 32)}_${d(hex, 8)}`],
	["groq-api-key", after("gsk_", mixed, 52)],
	["harness-api-key", (d) => `pat.${d(mixed, 22)}.${d(hex, 24)}.${d(mixed, 20)}`],
	["hashicorp-tf-api-token", (d) => `${d(mixed, 14)}.atlasv1.${d(mixed, 64)}`],
	["heroku-api-key", uuid, variable("HEROKU_API_KEY")],
	["heroku-api-key-v2", after("HRKU-AA", mixed, 58)],
	["hubspot-api-key", uuid, named("hubspot_key")],
	["huggingface-access-token", after("hf_", lower, 34)],
	["huggingface-organization-api-token", after("api_org_", lower, 34)],
	["infracost-api-token", after("ico-", mixed, 32)],
	["intercom-api-key", after("", alnum, 60), named("intercom")],
	["intra42-client-secret", after("s-s4t2ud-", hex, 64)],
	["jfrog-api-key", after("", alnum, 73), named("jfrog_key")],
	["jwt", (d) => `eyJ${d(mixed, 30)}.eyJ${d(mixed, 60)}.${d(mixed, 43)}`],
	["kraken-access-token", after("", base64, 84), named("kraken")],
	["kubernetes-secret-yaml", after("", mixed, 32), (s) => `kind: Secret\ndata:\n  password: ${s}\n`],
	["kucoin-access-token", after("", hex, 24), named("kucoin_access")],
	["kucoin-secret-key", uuid, named("kucoin_secret")],
	["launchdarkly-access-token", after("", alnum, 40), named("launchdarkly")],
	["linear-api-key", after("lin_api_", mixed, 40)],
	["linear-client-secret", after("", hex, 32), named("linear_secret")],
	["linkedin-client-id", after("", alnum, 14), named("linkedin_id")],
	["linkedin-client-secret", after("", alnum, 16), named("linkedin_secret")],
	["lob-api-key", after("live_", hex, 35), named("lob_key")],
	["looker-client-secret", after("", alnum, 24), named("looker_secret")],
	["mailchimp-api-key", after("", hex, 32, "-us12")],
	["mailgun-private-api-token", after("key-", hex, 32)],
	[
		"mailgun-signing-key",
		(d) => `${d(hex, 32).replaceAll("f", "a")}-${d(digits, 8)}-${d(digits, 8)}`,
		named("mailgun"),
	],
	["mapbox-api-token", (d) => `pk.${d(mixed, 60)}.${d(mixed, 22)}`],
	["mattermost-access-token", after("", alnum, 26), named("mattermost")],
	["maxmind-license-key", (d) => `${d(mixed, 6)}_${d(mixed, 29)}_mmk`],
	["messagebird-api-token", after("", alnum, 25), named("messagebird")],
	[
		"microsoft-teams-webhook",
		(d) =>
			`acme.webhook.office.com/webhookb2/${uuid(d)}@${uuid(d)}/IncomingWebhook/${d(alnum, 32)}/${uuid(d)}`,
		(s) => `https://${s}`,
	],
	["mistral-api-key", after("", mixed, 32), variable("MISTRAL_API_KEY")],
	["netlify-access-token", after("", alnum, 43), named("netlify")],
	["new-relic-user-api-key", after("NRAK-", upper, 27)],
	["new-relic-browser-api-token", after("NRJS-", hex, 19)],
	["new-relic-insert-key", after("NRII-", mixed, 32)],
	["notion-api-token", (d) => `ntn_${d(digits, 11)}${d(mixed, 35)}`],
	["npm-access-token", after("npm_", mixed, 36)],
	[
		"nuget-config-password",
		after("", mixed, 20),
		(s) => `<add key="ClearTextPassword" value="x" /> password="${s}"`,
	],
	["nytimes-access-token", after("", alnum, 32), named("nytimes")],
	["octopus-deploy-api-key", after("API-", upper, 26)],
	["okta-access-token", after("00", word, 39, "a"), named("okta_token")],
	["openai-api-key", after("sk-proj-", word, 74)],
	["openai-api-key-old", (d) => `sk-${d(mixed, 20)}T3BlbkFJ${d(mixed, 20)}`],
	["openrouter-api-key", after("sk-or-v1-", hex, 64)],
	["openshift-user-token", after("sha256~", word, 42, "a")],
	["perplexity-api-key", after("pplx-", mixed, 48)],
	["plaid-api-token", (d) => `access-sandbox-${uuid(d)}`],
	["plaid-client-id", after("", alnum, 24), named("plaid_client")],
	["plaid-secret-key", after("", alnum, 30), named("plaid_secret")],
	["planetscale-api-token", after("pscale_tkn_", mixed, 43)],
	["planetscale-password", after("pscale_pw_", mixed, 43)],
	["postman-api-token", (d) => `PMAK-${d(hex, 24)}-${d(hex, 34)}`],
	["prefect-api-token", after("pnu_", mixed, 36)],
	["privateai-api-token", after("", alnum, 32), named("private_ai")],
	[
		"private-key",
		(d) => `\n${d(base64, 64)}\n${d(base64, 64)}\n`,
		(s) => `-----BEGIN RSA PRIVATE ${"KEY"}-----${s}-----END RSA PRIVATE ${"KEY"}-----`,
	],
	[
		"private-key-pgp",
		(d) => `\n\n${d(base64, 64)}\n${d(base64, 64)}\n`,
		(s) => `-----BEGIN PGP PRIVATE ${"KEY"} BLOCK-----${s}-----END PGP PRIVATE ${"KEY"} BLOCK-----`,
	],
	["pulumi-api-token", after("pul-", hex, 40)],
	["pypi-upload-token", after("pypi-AgEIcHlwaS5vcmc", mixed, 80)],
	["rapidapi-access-token", after("", alnum, 50), named("rapidapi")],
	["readme-api-token", after("rdme_", alnum, 70)],
	["replicate-api-token", after("r8_", mixed, 37)],
	["rubygems-api-token", after("rubygems_", hex, 48)],
	["scalingo-api-token", after("tk-us-", mixed, 48)],
	["sendbird-access-token", after("", hex, 40), named("sendbird")],
	["sendgrid-api-token", (d) => `SG.${d(mixed, 22)}.${d(mixed, 43)}`],
	["sendinblue-api-token", (d) => `xkeysib-${d(hex, 64)}-${d(mixed, 16)}`],
	["sentry-org-token", after("sntrys_eyJ", mixed, 100)],
	["sentry-user-token", after("sntryu_", hex, 64)],
	["sentry-access-token", after("", hex, 64), named("sentry_token")],
	["settlemint-application-access-token", after("sm_aat_", mixed, 16)],
	["shippo-api-token", after("shippo_live_", hex, 40)],
	...["at", "ca", "pa", "ss"].map((kind): Recipe => [`shopify-${kind}`, after(`shp${kind}_`, hex, 32)]),
	["sidekiq-secret", (d) => `${d(hex, 8)}:${d(hex, 8)}`, variable("BUNDLE_ENTERPRISE__CONTRIBSYS__COM")],
	["slack-bot-token", (d) => `xoxb-${d(digits, 12)}-${d(digits, 12)}-${d(mixed, 24)}`],
	["slack-user-token", (d) => `xoxp-${d(digits, 12)}-${d(digits, 12)}-${d(digits, 12)}-${d(hex, 32)}`],
	["slack-config-access-token", (d) => `xoxe.xoxp-1-${d(mixed, 160)}`],
	["slack-legacy-token", (d) => `xoxs-${d(digits, 10)}-${d(digits, 10)}-${d(hex, 10)}`],
	["slack-app-token", (d) => `xapp-1-${d(upper, 11)}-${d(digits, 12)}-${d(hex, 64)}`],
	[
		"slack-webhook-url",
		(d) => `hooks.slack.com/services/T${d(upper, 9)}/B${d(upper, 9)}/${d(mixed, 24)}`,
		(s) => `https://${s}`,
	],
	["snyk-api-token", uuid, variable("SNYK_TOKEN")],
	["sonar-api-token", after("squ_", hex, 40)],
	["sourcegraph-access-token", after("sgp_", hex, 40)],
	["square-access-token", after("EAAA", mixed, 60)],
	["square-secret", after("sq0csp-", mixed, 43)],
	["squarespace-access-token", uuid, named("squarespace")],
	["stripe-access-token", after("sk_live_", mixed, 24)],
	["stripe-restricted-token", after("rk_live_", mixed, 24)],
	["sumologic-access-id", after("su", alnum, 12), named("sumo_access_id")],
	["sumologic-access-token", after("", alnum, 64), named("sumologic_token")],
	["supabase-token", after("sbp_", hex, 40)],
	["tailscale-key", (d) => `tskey-auth-${d(mixed, 12)}-${d(mixed, 32)}`],
	["telegram-bot-api-token", (d) => `${d(digits, 10)}:A${d(mixed, 34)}`],
	["travisci-access-token", after("", alnum, 22), named("travis_token")],
	["trello-access-token", after("", mixed, 32), named("trello_token")],
	["twilio-api-key", after("SK", hex, 32)],
	["twitch-api-token", after("", alnum, 30), named("twitch_token")],
	["twitter-api-key", after("", alnum, 25), named("twitter_key")],
	["twitter-api-secret", after("", alnum, 50), named("twitter_secret")],
	["twitter-access-token", (d) => `${d(digits, 19)}-${d(mixed, 30)}`, named("twitter_access")],
	["twitter-bearer-token", (d) => "A".repeat(22) + d(mixed, 90)],
	["typeform-api-token", after("tfp_", mixed, 59)],
	["vault-batch-token", after("hvb.", mixed, 140)],
	["vault-service-token", after("hvs.", mixed, 95)],
	["xai-api-key", after("xai-", mixed, 80)],
	["yandex-access-token", (d) => `t1.${d(mixed, 40)}.${d(mixed, 86)}`],
	["yandex-api-key", after("AQVN", mixed, 37)],
	["yandex-aws-access-token", after("YC", mixed, 38)],
	["zendesk-secret-key", after("", alnum, 40), named("zendesk_key")],
	["generic-api-key", after("", mixed, 32), named("my_api_key")],
	["generic-password", after("", mixed, 16), variable("DB_PASSWORD")],
	["uri", after("", mixed, 16), (s) => `postgres://app:${s}@db.internal:5432/shop`],
	["mongodb", after("", mixed, 16), (s) => `mongodb+srv://app:${s}@cluster0.mongodb.net/`],
	["redis", after("", mixed, 16), (s) => `redis://:${s}@cache.internal:6379`],
];

export interface SecretSample {
	readonly rule: string;
	readonly secret: string;
	/** What a session may contain: a file, a command, an answer in JSON. */
	readonly text: string;
}

/** `count` samples of each rule. */
export function secretSamples(count: number): SecretSample[] {
	return recipes.flatMap(([rule, make, around = (secret: string) => `const key = "${secret}";`], row) =>
		Array.from({ length: count }, (_, sample) => {
			const secret = make(random(row * 7_919 + sample * 104_729 + 17));
			return { rule, secret, text: around(secret) };
		}),
	);
}
