/** The models as extensions know them: pi's registry by its names, over ours. */
import type { Model } from "@tau/ai";

import type { ModelRegistry } from "../../config/model-registry.ts";
import type { Access } from "../../session/index.ts";
import type { ExtensionProvider } from "./types.ts";

export type RequestAuth =
	{ ok: true; apiKey?: string; headers?: Record<string, string> } | { ok: false; error: string };

export interface ModelAccessParts {
	registry: ModelRegistry;
	/** What a request to the model would be sent with. */
	credentials(model: Model): Promise<Access>;
	registerProvider(name: string, config: ExtensionProvider): void;
	unregisterProvider(name: string): void;
}

export class ModelAccess {
	readonly #parts: ModelAccessParts;

	constructor(parts: ModelAccessParts) {
		this.#parts = parts;
	}

	getAll(): Model[] {
		return [...this.#parts.registry.all()];
	}

	getAvailable(): Model[] {
		return this.#parts.registry.available();
	}

	/** By provider and id, or by `provider/id`. */
	find(provider: string, id?: string): Model | undefined {
		return this.#parts.registry.find(id === undefined ? provider : `${provider}/${id}`);
	}

	hasConfiguredAuth(model: Model): boolean {
		return this.#parts.registry.isAvailable(model);
	}

	async getApiKeyAndHeaders(model: Model): Promise<RequestAuth> {
		try {
			const { apiKey, headers } = await this.#parts.credentials(model);
			return {
				ok: true,
				...(apiKey === undefined ? {} : { apiKey }),
				...(headers ? { headers } : {}),
			};
		} catch (error) {
			return { ok: false, error: error instanceof Error ? error.message : String(error) };
		}
	}

	async getApiKey(model: Model): Promise<string | undefined> {
		const auth = await this.getApiKeyAndHeaders(model);
		return auth.ok ? auth.apiKey : undefined;
	}

	async getApiKeyForProvider(provider: string): Promise<string | undefined> {
		const [model] = this.#parts.registry.of(provider);
		return model ? this.getApiKey(model) : this.#parts.registry.apiKey(provider);
	}

	getProviderDisplayName(provider: string): string {
		return provider;
	}

	registerProvider(name: string, config: ExtensionProvider): void {
		this.#parts.registerProvider(name, config);
	}

	unregisterProvider(name: string): void {
		this.#parts.unregisterProvider(name);
	}
}
