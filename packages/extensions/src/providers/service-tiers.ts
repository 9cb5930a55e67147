/** The service tiers that extensions have requested, by protocol family. */
import type { Model } from "@tau/ai";

export type ServiceTierFamily = "openai" | "anthropic" | "google";

/** The protocol's name implies the vendor. Completions is left out: other vendors' servers may reject the field. */
const families: Readonly<Record<ServiceTierFamily, RegExp>> = {
	openai: /^(?:azure-)?openai-(?:codex-)?responses$/,
	anthropic: /^anthropic-/,
	google: /^google-/,
};

export class ServiceTiers {
	#byFamily: Partial<Record<ServiceTierFamily, string>> = {};

	/** Without a tier it is the provider's choice again. */
	set(family: ServiceTierFamily, tier: string | undefined): void {
		if (!Object.hasOwn(families, family)) throw new TypeError(`Unknown model family "${String(family)}".`);
		const { [family]: _, ...rest } = this.#byFamily;
		this.#byFamily = tier === undefined ? rest : { ...rest, [family]: tier };
	}

	all(): Readonly<Partial<Record<ServiceTierFamily, string>>> {
		return { ...this.#byFamily };
	}

	/** The tier of a request to this model; `auto` is the server's default, and some reject the value. */
	of({ api }: Pick<Model, "api">): string | undefined {
		const family = (Object.keys(families) as ServiceTierFamily[]).find((each) => families[each].test(api));
		const tier = family && this.#byFamily[family];
		return tier === "auto" ? undefined : tier;
	}
}
