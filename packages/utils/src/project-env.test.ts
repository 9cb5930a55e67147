/** Which variables a trusted project may set for Tau: few, and none that redirects requests. */
import { expect, test } from "bun:test";

import { isHarmlessVariable } from "./project-env.ts";

test.each(["TAU_NO_TITLE", "OMP_NO_TITLE", "PI_NO_BROWSER", "TAU_NO_INTERLEAVED_THINKING"])(
	"%s is accepted",
	(name) => {
		expect(isHarmlessVariable(name)).toBe(true);
	},
);

const refused = {
	"where requests and keys go": [
		"ANTHROPIC_BASE_URL",
		"OPENAI_BASE_URL",
		"AZURE_OPENAI_BASE_URL",
		"AZURE_OPENAI_RESOURCE_NAME",
		"FOUNDRY_BASE_URL",
		"CLAUDE_CODE_USE_FOUNDRY",
		"ANTHROPIC_CUSTOM_HEADERS",
		"OLLAMA_BASE_URL",
		"OLLAMA_HOST",
		"CLOUDFLARE_ACCOUNT_ID",
		"CLOUDFLARE_GATEWAY_ID",
		"AWS_ENDPOINT_URL",
		"AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
		"AWS_ENDPOINT_URL_SSO",
		"AWS_ENDPOINT_URL_STS",
		"AWS_REGION",
		"GCE_METADATA_HOST",
		"KIMI_CODE_OAUTH_HOST",
		"TAU_OAUTH_ANTHROPIC_URL",
		"OMP_AUTH_BROKER_URL",
		"HTTPS_PROXY",
		"https_proxy",
		"HTTP_PROXY",
		"ALL_PROXY",
		"NO_PROXY",
		"NODE_EXTRA_CA_CERTS",
		"NODE_TLS_REJECT_UNAUTHORIZED",
		"SSL_CERT_FILE",
	],
	"with which account": [
		"ANTHROPIC_API_KEY",
		"ANTHROPIC_OAUTH_TOKEN",
		"AWS_PROFILE",
		"AWS_CONFIG_FILE",
		"AWS_SHARED_CREDENTIALS_FILE",
		"AWS_ACCESS_KEY_ID",
		"AWS_SECRET_ACCESS_KEY",
		"AWS_SESSION_TOKEN",
		"AWS_WEB_IDENTITY_TOKEN_FILE",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI",
		"AWS_BEDROCK_SKIP_AUTH",
		"CLOUDSDK_CONFIG",
		"GOOGLE_APPLICATION_CREDENTIALS",
		"GOOGLE_CLOUD_PROJECT",
		"CLAUDE_CODE_CLIENT_CERT",
	],
	"which model, for how long": [
		"TAU_SMOL_MODEL",
		"TAU_SLOW_MODEL",
		"TAU_PLAN_MODEL",
		"OMP_SMOL_MODEL",
		"PI_PLAN_MODEL",
		"TAU_STREAM_FIRST_EVENT_TIMEOUT_MS",
		"TAU_STREAM_IDLE_TIMEOUT_MS",
		"TAU_OPENAI_STREAM_IDLE_TIMEOUT_MS",
		"TAU_CACHE_RETENTION",
		"TAU_OPENAI_STATEFUL",
	],
	"which code runs, and where files are": [
		"PATH",
		"HOME",
		"XDG_CONFIG_HOME",
		"TMPDIR",
		"TAU_CONFIG_DIR",
		"OMP_CODING_AGENT_DIR",
		"PI_CONFIG_DIR",
		"TAU_TUI_WRITE_LOG",
		"PI_SUBPROCESS_CMD",
		"PI_SHELL_PREFIX",
		"NODE_OPTIONS",
		"NODE_PATH",
		"BUN_OPTIONS",
		"BUN_CONFIG_REGISTRY",
		"BUN_INSPECT",
		"LD_PRELOAD",
		"LD_LIBRARY_PATH",
		"DYLD_INSERT_LIBRARIES",
		"BASH_ENV",
		"GIT_SSH_COMMAND",
		"EDITOR",
		"VISUAL",
		"BROWSER",
		"DISPLAY",
		"WAYLAND_DISPLAY",
	],
	"the project's own business": ["DATABASE_URL", "NODE_ENV", "tau_no_title", "TAU_NO_TITLES", "NO_TITLE"],
};

test.each(Object.entries(refused).flatMap(([why, names]) => names.map((name) => [name, why])))(
	"%s is ignored: %s",
	(name) => {
		expect(isHarmlessVariable(name)).toBe(false);
	},
);
