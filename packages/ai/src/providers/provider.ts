/** A provider: its protocol, its address, and its authentication. */
import type { AuthScheme } from "../auth/index.ts";
import type { Api, Compat } from "../types.ts";

/** The ways in which servers list their models. */
export const discoveryTypes = ["openai", "ollama", "llama.cpp", "lm-studio"] as const;
export type DiscoveryType = (typeof discoveryTypes)[number];

export interface Provider {
	id: string;
	label: string;
	/** The protocol of its models, unless the catalogue says otherwise for one. */
	api: Api;
	/** `{NAME}` is replaced by the value of a variable. */
	baseUrl: string;
	/** Variables that may hold the key, strongest first. */
	keys: readonly string[];
	/** Other names that users know from pi and omp. */
	aliases?: readonly string[];
	/** Variables that change the address, strongest first. */
	addresses?: readonly string[];
	/** A variable with host and port, either of which may be omitted: read after the addresses. */
	hostFrom?: string;
	/** Sets of variables that replace a key, each of them sufficient; `A|B` is either. */
	instead?: readonly (readonly string[])[];
	/** It also works without a key. */
	keyless?: true;
	/** How the key is sent, if it differs from the protocol's scheme. */
	auth?: Extract<AuthScheme, "bearer">;
	/** Variables whose key is sent as a bearer token, whatever the protocol does with the others. */
	bearer?: readonly string[];
	/** Keys and tokens of this shape are exchanged for a short-lived token, as the provider's login says. */
	ticket?: RegExp;
	/** Users have its variable for other reasons: it alone does not make the provider a default. */
	sharedKey?: true;
	/** Applies once a variable is enabled: keys and addresses that come before the others. */
	gateway?: { flag: string; keys: readonly string[]; addresses: readonly string[] };
	/** A variable with headers for a gateway, as `name: value` pairs. */
	headersFrom?: string;
	headers?: Readonly<Record<string, string>>;
	compat?: Compat;
	/** It makes the models that it serves: their ids are the official ones. */
	maker?: true;
	/** How it lists its models, if the catalogue cannot know them. */
	discovery?: DiscoveryType;
	/** Detected automatically, because users run it on their own machine. */
	local?: true;
}
