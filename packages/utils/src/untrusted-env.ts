/** Names the variables that a project's `.env` must not set, because a repository's author could then act as the user. */
import { envNames } from "./env.ts";

const place = "it decides where Tau's own files live";
const code = "it decides what code gets run";
const traffic = "it decides where requests and keys are sent";
const identity = "it decides with which credentials requests are made";

type Rule = readonly [reason: string, names: readonly string[]];

/** `*` stands for anything. Names of the TAU_ family cover OMP_ and PI_ too. */
const rules: readonly Rule[] = [
	[place, ["HOME", "USERPROFILE", "PWD", "TMPDIR", "XDG_*", "TAU_*_DIR"]],
	// Loaders and runtimes that read code or options from the environment before or while a program starts.
	[code, ["PATH", "LD_*", "DYLD_*", "NODE_OPTIONS", "NODE_PATH", "BUN_*", "NPM_CONFIG_*"]],
	[code, ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PERL5*", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS"]],
	// Programs that Tau, its shell or git start by the name they find here.
	[code, ["SHELL", "COMSPEC", "BASH_ENV", "ENV", "BASH_FUNC_*", "PROMPT_COMMAND", "IFS", "GIT_*"]],
	// What git's credential helpers, ssh and gpg read: agents, key stores, programs that ask for passwords.
	[identity, ["SSH_*", "GNUPGHOME", "PASSWORD_STORE_*", "GCM_*", "GH_*", "DBUS_*", "CURL_CA_BUNDLE"]],
	[code, ["EDITOR", "VISUAL", "PAGER", "BROWSER", "*_EXECUTABLE_PATH", "*_SHELL_PREFIX"]],
	[code, ["TAU_*_CMD", "TAU_*_COMMAND", "TAU_*_PATH"]],
	// A gateway of one's own would see every prompt, and the key that comes with it.
	[
		traffic,
		["*_PROXY", "*_BASE_URL", "*_ENDPOINT", "*_ENDPOINT_URL", "*_OAUTH_HOST", "OLLAMA_HOST", "TAU_*_URL"],
	],
	[traffic, ["CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_GATEWAY_ID"]],
	[traffic, ["AZURE_OPENAI_RESOURCE_NAME", "ANTHROPIC_CUSTOM_HEADERS", "SMITHERY_URL", "SMITHERY_API_URL"]],
	[traffic, ["NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "SSL_CERT_FILE", "SSL_CERT_DIR"]],
	// Credential helpers behind these may fetch from a URL or run a program.
	[identity, ["AWS_CONTAINER_CREDENTIALS_*", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONFIG_FILE"]],
	[identity, ["AWS_SHARED_CREDENTIALS_FILE", "GOOGLE_APPLICATION_CREDENTIALS", "CLAUDE_CODE_CLIENT_*"]],
];

/** Why a project may not set this variable, or undefined when it may. */
export function reasonToRefuse(name: string): string | undefined {
	// Proxy variables count in lower case too, and Windows ignores case altogether.
	const canonical = envNames(name.toUpperCase())[0] ?? name;
	return rules.find(([, names]) => names.some((pattern) => matches(canonical, pattern)))?.[0];
}

function matches(name: string, pattern: string): boolean {
	const star = pattern.indexOf("*");
	if (star < 0) return name === pattern;
	const head = pattern.slice(0, star);
	const tail = pattern.slice(star + 1);
	return name.startsWith(head) && name.endsWith(tail);
}
