/** Members of pi and omp that Tau does not support: they can be called, report that, and have no effect. */
import type { Extension } from "../api/extension.ts";

/** With what it would be for. */
const methods: Readonly<Record<string, string>> = {
	registerComposerShape: "supports custom editor layouts",
};

/** Besides the members of `pi`: an extension that does not need them runs. */
export function addForeign<T extends object>(api: T, { warnings }: Extension): T {
	for (const [name, what] of Object.entries(methods)) {
		const value = (): void => void warnings.push(`${name} has no effect: nothing in Tau ${what} yet.`);
		Object.defineProperty(api, name, { value });
	}
	return api;
}
