/** The types of omp's capabilities: kinds of things that providers find in files. */

export interface SourceMeta {
	provider: string;
	providerName: string;
	path: string;
	level: "user" | "project" | "native";
}

export interface LoadContext {
	cwd: string;
	home: string;
	/** The root of the repository; null outside of one. */
	repoRoot: string | null;
}

export interface CapabilityProvider<T> {
	id: string;
	displayName: string;
	description: string;
	/** Of two items with the same key, that of the provider with the higher priority is used. */
	priority: number;
	load(context: LoadContext): Promise<{ items: T[]; warnings?: string[] }>;
}

export interface Capability<T> {
	id: string;
	displayName: string;
	description: string;
	/** Items with the same key are one; all without a key are used. */
	key(item: T): string | undefined;
	equivalent?(left: T, right: T): boolean;
	/** What is wrong with an item. */
	validate?(item: T): string | undefined;
	toExtensionId?(item: T): string | undefined;
	/** The highest priority first. */
	providers: CapabilityProvider<T>[];
}

export type Sourced<T> = T & { _source: SourceMeta };

export interface LoadOptions<T> {
	providers?: string[];
	excludeProviders?: string[];
	cwd?: string;
	includeInvalid?: boolean;
	includeDisabled?: boolean;
	disabledExtensions?: string[];
	/** Drops items as if they did not exist. */
	filter?(item: Sourced<T>): boolean;
	/** Leaves items out that still hide others of their key. */
	suppress?(item: Sourced<T>): boolean;
}

export interface CapabilityResult<T> {
	items: Sourced<T>[];
	all: (Sourced<T> & { _shadowed?: boolean })[];
	warnings: string[];
	/** The providers of the items. */
	providers: string[];
}
