/** What an extension gives to add a provider: its models, its stream and its login. The names are pi's and omp's. */
import type {
	Api,
	AssistantMessageEventStream,
	Compat,
	Context,
	Model,
	StreamOptions,
	ThinkingLevelMap,
} from "@tau/ai";

export interface ProviderModelConfig {
	id: string;
	name?: string;
	api?: Api;
	baseUrl?: string;
	reasoning?: boolean;
	thinkingLevelMap?: ThinkingLevelMap;
	input?: ("text" | "image" | "audio")[];
	/** US dollars per million tokens. */
	cost?: Omit<Model["cost"], "total">;
	contextWindow?: number;
	maxTokens?: number;
	headers?: Record<string, string>;
	compat?: Compat;
}

export interface ExtensionProvider {
	name?: string;
	baseUrl?: string;
	/** A key, or the variable that it is in. */
	apiKey?: string;
	api?: Api;
	/** Streams an answer with its own implementation. */
	streamSimple?(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream;
	headers?: Record<string, string>;
	authHeader?: boolean;
	/** Replace all models that the provider has. */
	models?: ProviderModelConfig[];
	/** Its own login, for `/login`. */
	oauth?: ProviderOAuth;
	/** Lists the server's models (pi); they replace `models`. */
	refreshModels?(context: RefreshModelsContext): Promise<ProviderModelConfig[]>;
	/** The same for omp; `models` are added to the listed ones. */
	fetchDynamicModels?(apiKey: string | undefined): Promise<readonly ProviderModelConfig[]>;
}

export interface RefreshModelsContext {
	readonly signal: AbortSignal;
	readonly allowNetwork: boolean;
	readonly force: boolean;
	readonly baseUrl?: string;
	/** The result of the stored login. */
	readonly credential?: OAuthCredentials;
	publish(publication: { update?(): void }): Promise<boolean>;
}

/** The result of a login; its other fields belong to the extension and are stored unchanged. */
export interface OAuthCredentials {
	access: string;
	refresh?: string;
	/** Milliseconds since 1970. */
	expires?: number;
	[key: string]: unknown;
}

export interface ProviderOAuth {
	/** The name in the list of logins. */
	name: string;
	/** Gives tokens, or (omp) a key. */
	login(callbacks: OAuthLoginCallbacks): Promise<OAuthCredentials | string>;
	refreshToken?(credentials: OAuthCredentials, signal: AbortSignal): Promise<OAuthCredentials>;
	/** The key that requests are sent with; the access token if absent. */
	getApiKey?(credentials: OAuthCredentials): string;
	/** Which models there are with this login, and where. */
	modifyModels?(models: Model[], credentials: OAuthCredentials): Model[];
}

/** The callbacks by which a login communicates with the user. */
export interface OAuthLoginCallbacks {
	readonly signal: AbortSignal;
	onAuth(info: { url: string; instructions?: string }): void;
	onDeviceCode(info: { userCode: string; verificationUri: string }): void;
	onProgress(message: string): void;
	onPrompt(prompt: { message: string; placeholder?: string; allowEmpty?: boolean }): Promise<string>;
	onManualCodeInput(): Promise<string>;
	onSelect(prompt: {
		message: string;
		options: { id: string; label: string }[];
	}): Promise<string | undefined>;
}
