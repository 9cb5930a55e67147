/** What a provider is: who speaks which protocol where, and what it takes to be let in. */
import type { AuthScheme } from "../auth/index.ts";
import type { Api, Compat } from "../types.ts";

/** The ways in which servers list their models. */
export const discoveryTypes = ["openai", "ollama", "llama.cpp", "lm-studio"] as const;
export type DiscoveryType = (typeof discoveryTypes)[number];

export interface Provider {
	id: string;
	label: string;
	/** Of its models, unless the catalogue says otherwise for one. */
	api: Api;
	/** `{NAME}` stands for the value of a variable. */
	baseUrl: string;
	/** Variables that may hold the key, strongest first. */
	keys: readonly string[];
	/** Other names that people know it by, from pi and omp. */
	aliases?: readonly string[];
	/** Variables that move the server, strongest first. */
	addresses?: readonly string[];
	/** A variable with host and port, either of which may be left out: asked after the addresses. */
	hostFrom?: string;
	/** Sets of variables that do instead of a key, each of them enough; `A|B` is either. */
	instead?: readonly (readonly string[])[];
	/** It answers without a key as well. */
	keyless?: true;
	/** How it wants to see the key, where that is not the way of its protocol. */
	auth?: Extract<AuthScheme, "bearer">;
	/** Variables whose key is sent as a bearer token, whatever the protocol does with the others. */
	bearer?: readonly string[];
	/** Keys that look so are no keys: they are traded for a short-lived token, as the provider's login does. */
	ticket?: RegExp;
	/** What holds once a variable is switched on: keys and addresses that come before the others. */
	gateway?: { flag: string; keys: readonly string[]; addresses: readonly string[] };
	/** A variable with headers for a gateway, as `name: value` pairs. */
	headersFrom?: string;
	headers?: Readonly<Record<string, string>>;
	compat?: Compat;
	/** It makes the models that it serves: their ids are the official ones. */
	maker?: true;
	/** How it lists its models, where the catalogue cannot know them. */
	discovery?: DiscoveryType;
	/** Looked for without being asked, because people run it on their own machine. */
	local?: true;
}
