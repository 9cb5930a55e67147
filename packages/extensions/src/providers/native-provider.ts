/** A provider of pi's newer kind, which knows its models, logins and answers by itself, as Tau registers one. */
import type { AssistantMessageEventStream, Context, Model, StreamOptions } from "@tau/ai";

import { defaultProviderAuthContext } from "./auth-context.ts";
import { laterStream } from "./later-stream.ts";
import type {
	ExtensionProvider,
	OAuthCredentials,
	OAuthLoginCallbacks,
	ProviderOAuth,
} from "../api/provider-types.ts";

export interface RequestAuth {
	apiKey?: string;
	headers?: Record<string, string>;
	baseUrl?: string;
}

type Prompt = {
	type: string;
	message: string;
	placeholder?: string;
	options?: readonly { id: string; label: string }[];
};

interface Notice {
	type: string;
	message?: string;
	url?: string;
	instructions?: string;
	userCode?: string;
	verificationUri?: string;
}

/** The callbacks by which such a login communicates with the user. */
export interface AuthInteraction {
	signal: AbortSignal;
	prompt(about: Prompt): Promise<string>;
	notify(event: Notice): void;
}

export interface NativeProvider {
	readonly id: string;
	readonly name?: string;
	readonly baseUrl?: string;
	readonly headers?: Record<string, string>;
	readonly auth: {
		apiKey?: {
			resolve(input: {
				ctx: ReturnType<typeof defaultProviderAuthContext>;
				credential?: { type: string; key?: string };
				signal: AbortSignal;
			}): Promise<{ auth: RequestAuth } | undefined>;
			login?(interaction: AuthInteraction): Promise<{ type: string; key?: string }>;
		};
		oauth?: {
			name: string;
			login(interaction: AuthInteraction): Promise<OAuthCredentials>;
			refresh(credential: OAuthCredentials, signal: AbortSignal): Promise<OAuthCredentials>;
			toAuth(credential: OAuthCredentials): Promise<RequestAuth>;
		};
	};
	getModels(): readonly Model[];
	stream?(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream;
	streamSimple(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream;
}

export function isNative(given: unknown): given is NativeProvider {
	return typeof given === "object" && given !== null && "id" in given && "getModels" in given;
}

const natives = new WeakMap<object, NativeProvider>();

/** What `fromNative` made the configuration from. */
export function nativeOf({ streamSimple }: ExtensionProvider): NativeProvider | undefined {
	return streamSimple && natives.get(streamSimple);
}

export function fromNative(provider: NativeProvider): ExtensionProvider {
	const config = configOf(provider);
	natives.set(config.streamSimple, provider);
	return config;
}

function configOf(
	provider: NativeProvider,
): ExtensionProvider & Required<Pick<ExtensionProvider, "streamSimple">> {
	const { name, baseUrl, headers } = provider;
	const oauth = oauthOf(provider);
	return {
		...(name === undefined ? {} : { name }),
		...(baseUrl === undefined ? {} : { baseUrl }),
		...(headers ? { headers } : {}),
		models: [...provider.getModels()],
		...(oauth ? { oauth } : {}),
		streamSimple: (model, context, options) =>
			laterStream(model, async () => {
				const auth = await authFor(provider, options);
				const { apiKey, headers: added, baseUrl: moved } = auth;
				return provider.streamSimple(moved === undefined ? model : { ...model, baseUrl: moved }, context, {
					...options,
					...(apiKey === undefined ? {} : { apiKey }),
					headers: { ...options?.headers, ...added },
				});
			}),
	};
}

/** The request carries the result of the login: the provider derives what it needs. */
async function authFor(provider: NativeProvider, options: StreamOptions | undefined): Promise<RequestAuth> {
	const { apiKey: key } = options ?? {};
	if (key !== undefined) return { apiKey: key };
	const signal = options?.signal ?? new AbortController().signal;
	const found = await provider.auth.apiKey?.resolve({ ctx: defaultProviderAuthContext(), signal });
	return found?.auth ?? {};
}

function oauthOf({ auth: { oauth } }: NativeProvider): ProviderOAuth | undefined {
	if (!oauth) return undefined;
	const withKey = async (credential: OAuthCredentials): Promise<OAuthCredentials> => {
		const { apiKey } = await oauth.toAuth(credential);
		return { ...credential, requestKey: apiKey ?? credential.access };
	};
	return {
		name: oauth.name,
		login: async (callbacks) => withKey(await oauth.login(interactionFor(callbacks))),
		refreshToken: async (credentials, signal) => withKey(await oauth.refresh(credentials, signal)),
		getApiKey: ({ requestKey, access }) => (typeof requestKey === "string" ? requestKey : access),
	};
}

function interactionFor(callbacks: OAuthLoginCallbacks): AuthInteraction {
	return {
		signal: callbacks.signal,
		async prompt({ type, message, placeholder, options = [] }) {
			if (type === "manual_code") return callbacks.onManualCodeInput();
			if (type !== "select")
				return callbacks.onPrompt({ message, ...(placeholder === undefined ? {} : { placeholder }) });
			const chosen = await callbacks.onSelect({ message, options: [...options] });
			if (chosen === undefined) throw new Error("Nothing was selected.");
			return chosen;
		},
		notify({ type, message = "", url = "", instructions, userCode = "", verificationUri = "" }) {
			if (type === "auth_url") callbacks.onAuth({ url, ...(instructions ? { instructions } : {}) });
			else if (type === "device_code") callbacks.onDeviceCode({ userCode, verificationUri });
			else callbacks.onProgress(message);
		},
	};
}
