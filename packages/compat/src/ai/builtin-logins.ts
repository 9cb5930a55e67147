/** Tau's own logins by pi's functions, for extensions that keep the tokens themselves. */
import { logInTo, renewLogin, type LoginInteraction, type NewCredential } from "@tau/ai";
import type { OAuthCredentials, ProviderOAuth } from "@tau/extensions/api";

/** What pi's functions are called with; versions and providers differ in the form of `onAuth`. */
interface Callbacks {
	onAuth(info: unknown, instructions?: string): void;
	onDeviceCode?(info: { userCode: string; verificationUri: string }): void;
	onPrompt(prompt: { message: string }): Promise<string>;
	onProgress?(message: string): void;
	onManualCodeInput?(): Promise<string>;
	signal?: AbortSignal;
}

interface BuiltinLogin extends ProviderOAuth {
	readonly id: string;
}

function builtin(id: string, name: string): BuiltinLogin {
	return {
		id,
		name,
		login: (callbacks) => logIn(id, callbacks),
		refreshToken: async ({ refresh = "" }) => refreshed(id, refresh),
		getApiKey: ({ access }) => access,
	};
}

const anthropicOAuthProvider = builtin("anthropic", "Anthropic (Claude Pro/Max)");
const openaiCodexOAuthProvider = builtin("openai-codex", "ChatGPT Plus/Pro (Codex)");
const githubCopilotOAuthProvider = builtin("github-copilot", "GitHub Copilot");

export const builtinLogins: readonly BuiltinLogin[] = [
	anthropicOAuthProvider,
	openaiCodexOAuthProvider,
	githubCopilotOAuthProvider,
];

function loginAnthropic(callbacks: Callbacks): Promise<OAuthCredentials> {
	return logIn("anthropic", callbacks);
}

export function loginOpenAICodex(callbacks: Callbacks): Promise<OAuthCredentials> {
	return logIn("openai-codex", callbacks);
}

/** This one is called with the address alone. */
function loginGitHubCopilot(callbacks: Callbacks): Promise<OAuthCredentials> {
	return logIn("github-copilot", {
		...callbacks,
		onAuth: (info) => {
			const { url = "", instructions } = info as { url?: string; instructions?: string };
			callbacks.onAuth(url, instructions);
		},
	});
}

function refreshAnthropicToken(refresh: string): Promise<OAuthCredentials> {
	return refreshed("anthropic", refresh);
}

function refreshOpenAICodexToken(refresh: string): Promise<OAuthCredentials> {
	return refreshed("openai-codex", refresh);
}

function refreshGitHubCopilotToken(refresh: string): Promise<OAuthCredentials> {
	return refreshed("github-copilot", refresh);
}

async function logIn(provider: string, callbacks: Callbacks): Promise<OAuthCredentials> {
	const over = new AbortController();
	const signal = callbacks.signal ? AbortSignal.any([callbacks.signal, over.signal]) : over.signal;
	try {
		return asPis(await logInTo(provider, interactionOf(callbacks), signal));
	} finally {
		over.abort();
	}
}

async function refreshed(provider: string, refresh: string): Promise<OAuthCredentials> {
	return asPis(await renewLogin(provider, refresh));
}

function interactionOf(callbacks: Callbacks): LoginInteraction {
	const { onManualCodeInput, onDeviceCode } = callbacks;
	return {
		show(step) {
			if (step.kind === "browser") callbacks.onAuth({ url: step.url });
			else if (onDeviceCode) onDeviceCode({ userCode: step.code, verificationUri: step.url });
			else callbacks.onAuth({ url: step.url, instructions: `Enter code: ${step.code}` });
		},
		notice: (message) => callbacks.onProgress?.(message),
		// With a local browser there is no question; a line is read only if the caller offers one.
		...(onManualCodeInput ? { paste: () => onManualCodeInput() } : {}),
	};
}

function asPis({ access, refresh = "", expiresAt = Number.MAX_SAFE_INTEGER, ...more }: NewCredential) {
	const { account, baseUrl, project } = more;
	return {
		access,
		refresh,
		expires: expiresAt,
		...(account === undefined ? {} : { email: account }),
		...(baseUrl === undefined ? {} : { baseUrl }),
		...(project === undefined ? {} : { projectId: project }),
	};
}

/** What extensions get of it. */
export const loginExports = {
	anthropicOAuthProvider,
	openaiCodexOAuthProvider,
	githubCopilotOAuthProvider,
	loginAnthropic,
	loginOpenAICodex,
	loginGitHubCopilot,
	refreshAnthropicToken,
	refreshOpenAICodexToken,
	refreshGitHubCopilotToken,
};
