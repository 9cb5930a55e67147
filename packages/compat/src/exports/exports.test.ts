/** The data about the exports of pi's and omp's packages matches what an extension gets, by every name of a package. */
import { describe, expect, test } from "bun:test";

import { provideApplication } from "@tau/coding-agent/testing";

import { installVirtualModules, ownExportsOf, scopes } from "../install.ts";
import { protocolSubpaths, subpaths } from "../subpaths.ts";
import { packageNames, statesOf } from "./states.ts";

provideApplication();
installVirtualModules();

async function imported(name: string): Promise<Record<string, unknown>> {
	return (await import(name)) as Record<string, unknown>;
}

describe.each(packageNames.map((name) => [name] as const))("%s", (name) => {
	test("implements the exports that the data claims", async () => {
		const own = await ownExportsOf(name);
		const states = await statesOf(name);
		const wrong = Object.entries(states).filter(
			([each, { state }]) => state !== "refused" && own[each] === undefined,
		);
		expect(wrong.map(([each, { state }]) => `${each} says ${state}`)).toEqual([]);
	});

	test("has all of its names in all scopes, and an unsupported one throws the reason when it is used", async () => {
		const states = await statesOf(name);
		const own = await ownExportsOf(name);
		for (const scope of scopes) {
			const full = `${scope}/${name}`;
			const all = await imported(full);
			const absent = Object.keys(states).filter((each) => all[each] === undefined);
			expect(absent).toEqual([]);
			for (const [each, { state, note = "" }] of Object.entries(states)) {
				// A class of our own may be unsupported through its methods.
				if (state !== "refused" || own[each] !== undefined) continue;
				expect(() => (all[each] as () => void)()).toThrow(`Tau does not provide ${each} of ${full}: ${note}`);
			}
		}
	});

	test("exports the same names under its subpaths", async () => {
		const { length } = Object.keys(await imported(`@mariozechner/${name}`));
		for (const scope of scopes) {
			for (const path of subpaths[name])
				expect(Object.keys(await imported(`${scope}/${name}/${path}`))).toHaveLength(length);
		}
	});
});

test("a subpath for one protocol streams with that protocol", async () => {
	for (const protocol of protocolSubpaths) {
		const part = await imported(`@earendil-works/pi-ai/api/${protocol}`);
		const whole = await imported("@earendil-works/pi-ai");
		expect(part.stream).toBeFunction();
		expect(part.stream).not.toBe(whole.stream);
	}
});
