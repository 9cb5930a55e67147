/**
 * The logins that Tau knows: one row each. Client ids and endpoints are those that the vendors' own clients publish.
 */
import { env as readEnv, envNumber, type Env } from "@tau/utils";

import { clientHeaders } from "../../auth/code-assist/client.ts";
import { projectFrom } from "../../auth/code-assist/project.ts";
import type { CodeAssist, OAuthFlow } from "./flow.ts";

export const oauthFlows: readonly OAuthFlow[] = [
	{
		provider: "anthropic",
		label: "Anthropic (Claude Pro/Max)",
		clientId: "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
		scopes: ["user:profile", "user:inference", "user:sessions:claude_code", "user:mcp_servers"],
		tokenUrl: "https://platform.claude.com/v1/oauth/token",
		encoding: "json",
		grant: {
			kind: "authorization_code",
			authorizeUrl: "https://claude.ai/oauth/authorize",
			redirect: { host: "localhost", path: "/callback" },
			// Lets the page show a code to copy if the browser is on another machine.
			authorizeParameters: { code: "true" },
			stateInTokenRequest: true,
		},
		answer: { account: "account.email_address" },
	},
	{
		provider: "openai-codex",
		label: "OpenAI (ChatGPT Plus/Pro, Codex)",
		clientId: "app_EMoamEEZ73f0CkXaXp7hrann",
		scopes: ["openid", "profile", "email", "offline_access"],
		tokenUrl: "https://auth.openai.com/oauth/token",
		encoding: "form",
		grant: {
			kind: "authorization_code",
			authorizeUrl: "https://auth.openai.com/oauth/authorize",
			redirect: { host: "localhost", port: 1455, path: "/auth/callback" },
			authorizeParameters: {
				id_token_add_organizations: "true",
				codex_cli_simplified_flow: "true",
				originator: "tau",
			},
		},
	},
	{
		provider: "google-gemini-cli",
		label: "Google (Gemini CLI)",
		clientId: "681255809395-oo8ft2oprdrnp9e3aqf6av3hmdib135j.apps.googleusercontent.com",
		clientSecret: "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",
		scopes: [
			"https://www.googleapis.com/auth/cloud-platform",
			"https://www.googleapis.com/auth/userinfo.email",
			"https://www.googleapis.com/auth/userinfo.profile",
		],
		tokenUrl: "https://oauth2.googleapis.com/token",
		encoding: "form",
		grant: {
			kind: "authorization_code",
			authorizeUrl: "https://accounts.google.com/o/oauth2/v2/auth",
			redirect: { host: "127.0.0.1", path: "/oauth2callback" },
			// Without these, Google returns a refresh token only at the very first login.
			authorizeParameters: { access_type: "offline", prompt: "consent" },
		},
		codeAssist: { url: "https://cloudcode-pa.googleapis.com/v1internal" },
	},
	{
		provider: "github-copilot",
		label: "GitHub Copilot",
		clientId: "Iv1.b507a08c87ecfe98",
		scopes: ["read:user"],
		tokenUrl: "https://github.com/login/oauth/access_token",
		encoding: "form",
		headers: { "user-agent": "tau", "editor-version": "tau/1", "editor-plugin-version": "tau/1" },
		grant: { kind: "device_code", deviceUrl: "https://github.com/login/device/code" },
		whoami: { url: "https://api.github.com/user", account: "login" },
		exchange: {
			url: "https://api.github.com/copilot_internal/v2/token",
			answer: { access: "token", expiresAt: "expires_at", baseUrl: "endpoints.api" },
		},
	},
	{
		provider: "kimi-code",
		label: "Kimi Code",
		clientId: "17e5f671-d194-4dfb-9706-5516cb48c098",
		scopes: [],
		tokenUrl: "https://auth.kimi.com/api/oauth/token",
		encoding: "form",
		grant: { kind: "device_code", deviceUrl: "https://auth.kimi.com/api/oauth/device_authorization" },
		hostVariables: ["KIMI_CODE_OAUTH_HOST", "KIMI_OAUTH_HOST"],
	},
	{
		provider: "xai-oauth",
		label: "xAI (SuperGrok)",
		clientId: "b1a00492-073a-47ea-816f-4c329264a828",
		scopes: ["openid", "profile", "email", "offline_access", "grok-cli:access", "api:access"],
		tokenUrl: "https://auth.x.ai/oauth2/token",
		encoding: "form",
		grant: { kind: "device_code", deviceUrl: "https://auth.x.ai/oauth2/device/code" },
	},
	{
		provider: "gitlab-duo",
		label: "GitLab Duo",
		// Of glab, GitLab's own command line.
		clientId: "41d48f9422ebd655dd9cf2947d6979681dfaddc6d0c56f7628f6ada59559af1e",
		scopes: ["api"],
		tokenUrl: "https://gitlab.com/oauth/token",
		encoding: "form",
		grant: { kind: "device_code", deviceUrl: "https://gitlab.com/oauth/authorize_device" },
		whoami: { url: "https://gitlab.com/api/v4/user", account: "username" },
		exchange: {
			url: "https://gitlab.com/api/v4/ai/third_party_agents/direct_access",
			body: { feature_flags: { DuoAgentPlatformNext: true } },
			isLate: true,
			answer: { access: "token", expiresAt: "expires_at", headers: "headers" },
			lifetime: 25 * 60,
			advice: "The token needs the scope api, and the account GitLab Duo",
		},
		hostVariables: ["GITLAB_INSTANCE_URL"],
	},
	{
		provider: "openrouter",
		label: "OpenRouter (creates an API key)",
		scopes: [],
		tokenUrl: "https://openrouter.ai/api/v1/auth/keys",
		encoding: "json",
		grant: {
			kind: "authorization_code",
			authorizeUrl: "https://openrouter.ai/auth",
			redirect: { host: "localhost", path: "/callback" },
			redirectParameter: "callback_url",
			stateInPath: true,
			bareTokenRequest: true,
		},
		answer: { access: "key", account: "user_id" },
		givesKey: true,
	},
];

/**
 * The flow of a provider, at another host if the environment sets one: `TAU_OAUTH_<PROVIDER>_URL`, or the flow's own
 * variables. A project's `.env` cannot set either (see project-env.ts).
 */
export function findFlow(
	provider: string,
	env: Env,
	flows: readonly OAuthFlow[] = oauthFlows,
): OAuthFlow | undefined {
	const flow = flows.find((each) => each.provider === provider);
	if (!flow) return undefined;
	const own = `TAU_OAUTH_${provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_URL`;
	const origin = [own, ...(flow.hostVariables ?? [])]
		.map((name) => readEnv(name, env))
		.find((value) => value !== undefined && URL.canParse(value));
	const here = flow.codeAssist ? { ...flow, codeAssist: asHere(flow.codeAssist, env) } : flow;
	return atPort(origin === undefined ? here : atHost(here, origin), env);
}

/** `TAU_OAUTH_CALLBACK_PORT`: where the browser returns to, for logins that leave it open. */
function atPort(flow: OAuthFlow, env: Env): OAuthFlow {
	const { grant } = flow;
	const port = envNumber("TAU_OAUTH_CALLBACK_PORT", env);
	if (port === undefined || grant.kind !== "authorization_code") return flow;
	return { ...flow, grant: { ...grant, redirect: { port, ...grant.redirect } } };
}

function asHere(codeAssist: CodeAssist, env: Env): CodeAssist {
	const project = projectFrom(env);
	return { ...codeAssist, headers: clientHeaders(env), ...(project === undefined ? {} : { project }) };
}

/** The paths stay; a custom server has not registered the vendor's redirect port. */
function atHost(flow: OAuthFlow, origin: string): OAuthFlow {
	const move = (url: string): string => {
		const { pathname, search } = new URL(url);
		return new URL(pathname + search, origin).href;
	};
	const { grant, exchange, whoami, codeAssist } = flow;
	return {
		...flow,
		tokenUrl: move(flow.tokenUrl),
		...(exchange ? { exchange: { ...exchange, url: move(exchange.url) } } : {}),
		...(whoami ? { whoami: { ...whoami, url: move(whoami.url) } } : {}),
		...(codeAssist ? { codeAssist: { ...codeAssist, url: move(codeAssist.url) } } : {}),
		grant:
			grant.kind === "device_code"
				? { ...grant, deviceUrl: move(grant.deviceUrl) }
				: {
						...grant,
						authorizeUrl: move(grant.authorizeUrl),
						redirect: { host: grant.redirect.host, path: grant.redirect.path },
					},
	};
}
