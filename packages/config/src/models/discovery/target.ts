/** The servers whose models are listed: local ones, those that the user connected, and those in `models.yml`. */
import { addressOf, headersOf, keyFrom, providers, type Api, type Compat, type DiscoveryType } from "@tau/ai";
import { env as readEnv, envNumber, type Env } from "@tau/utils";

import type { ModelRegistry } from "../model-registry.ts";
import type { ProviderConfig } from "../models-file/index.ts";

export interface DiscoveryTarget {
	provider: string;
	type: DiscoveryType;
	api: Api;
	/** The address of the server's own API, without a version. */
	root: string;
	/** The base address for requests to the models. */
	baseUrl: string;
	apiKey?: string;
	headers: Record<string, string>;
	compat?: Compat;
	/** The context window that the user configured; it overrides the server's value. */
	contextWindow?: number;
	/** True for a server on this machine or in this network, which answers at once. */
	near: boolean;
	/** How long the server may take to answer, where it is not the usual time of its place. */
	answerMs?: number;
}

/** Returns every connected server; a provider that the user has not connected is not queried. */
export function discoveryTargets(registry: ModelRegistry, env: Env): DiscoveryTarget[] {
	return registry
		.providerIds()
		.filter((id) => isWanted(id, registry, env))
		.flatMap((id) => targetOf(id, registry, env) ?? []);
}

/** Returns one provider, even if its models are in the catalogue: it may have newer ones. */
export function targetOf(id: string, registry: ModelRegistry, env: Env): DiscoveryTarget | undefined {
	const config = registry.config(id);
	const row = registry.row(id);
	if (registry.isDisabled(id) || registry.whyNot(id) !== undefined) return undefined;
	const type = config?.discovery?.type ?? row?.discovery ?? "openai";
	const api = config?.api ?? row?.api;
	const address = config?.baseUrl ?? (row ? addressOf(row, env) : undefined);
	if (api === undefined || address === undefined) return undefined;
	const apiKey = registry.apiKey(id);
	const contextWindow = type === "ollama" ? envNumber("OLLAMA_CONTEXT_LENGTH", env) : undefined;
	return {
		provider: id,
		type,
		api,
		...places(type, api, address),
		headers: { ...(row ? headersOf(row, env) : {}), ...config?.headers },
		near: isNear(address),
		...(apiKey === undefined ? {} : { apiKey }),
		...(row?.compat ? { compat: row.compat } : {}),
		...(contextWindow !== undefined && contextWindow > 0 ? { contextWindow } : {}),
	};
}

/** The servers that users run on their own machine, at the addresses that the environment sets. */
export function localTargets(registry: ModelRegistry, env: Env): DiscoveryTarget[] {
	return providers.filter(({ local }) => local).flatMap(({ id }) => targetOf(id, registry, env) ?? []);
}

function isWanted(id: string, registry: ModelRegistry, env: Env): boolean {
	const config: ProviderConfig | undefined = registry.config(id);
	if (config?.discovery) return true;
	const row = registry.row(id);
	if (!row?.discovery) return false;
	const moved = (row.addresses ?? []).some((variable) => readEnv(variable, env) !== undefined);
	return row.local === true || moved || keyFrom(row, env) !== undefined || registry.apiKey(id) !== undefined;
}

function places(type: DiscoveryType, api: Api, address: string): { root: string; baseUrl: string } {
	const trimmed = address.replace(/\/+$/, "");
	const root = trimmed.replace(/\/v1$/, "");
	// For other types the version is part of the address that users write; here they may omit it.
	const versioned = type === "openai" ? trimmed : `${root}/v1`;
	return { root, baseUrl: api === "ollama-chat" ? root : versioned };
}

function isNear(address: string): boolean {
	const host = URL.parse(address)?.hostname ?? "";
	return /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[::1\]|.*\.local$)/.test(host);
}
