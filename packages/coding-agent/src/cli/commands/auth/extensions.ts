/** The providers of extensions, for the commands about keys and logins. */
import type { CredentialStore } from "@tau/ai";
import { storedLogins } from "@tau/config/models";
import type { Settings } from "@tau/config/settings";

import type { Args } from "../../args.ts";
import { printError } from "../../print-error.ts";
import { loadRegistry } from "../../launch/load-models.ts";
import { openExtensions } from "../../launch/open-extensions.ts";

export interface BroughtProvider {
	id: string;
	/** How it is called in a sentence. */
	label: string;
}

/** The store offers the logins of extensions from now on. Extensions that fail to load are reported. */
export async function broughtProviders(
	args: Args,
	settings: Settings,
	store: CredentialStore,
): Promise<BroughtProvider[]> {
	const extensions = await openExtensions({ args, cwd: process.cwd(), settings, onNotice: printError });
	if (!extensions) return [];
	const registry = await loadRegistry(args, process.env, settings, storedLogins(store));
	extensions.provide(registry);
	const { providerLabel } = await import("@tau/extensions/providers");
	return [...extensions.runner.runtime.providers.keys()].map((id) => ({
		id,
		label: providerLabel(registry, id) ?? id,
	}));
}
