/** Where packages come from, and which host gets the token. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { installPackages } from "../change.ts";
import { playRegistry } from "../../../../../test/support/registry.ts";
import { oneExtension, piManifest, workshopWith } from "../testing/workshop.ts";
import { parseNpmrc, registryFor } from "./npmrc.ts";

const openWorkshop = workshopWith(playRegistry);

test("a scope has its registry, everything else that of the environment or of .npmrc", () => {
	using shop = openWorkshop();
	writeFileSync(
		join(shop.home, ".npmrc"),
		"registry=https://all.example/npm\n@me:registry = https://mine.example\n",
	);
	const of = (name: string, env = {}): string => registryFor(name, env, shop.home).url;
	expect(of("x")).toBe("https://all.example/npm/");
	expect(of("@me/x")).toBe("https://mine.example/");
	expect(of("x", { npm_config_registry: "http://env" })).toBe("http://env/");
	expect(registryFor("x", {}, join(shop.home, "nobody")).url).toBe("https://registry.npmjs.org/");
});

test("an empty registry is ignored, and one that is not a URL is reported", () => {
	using shop = openWorkshop();
	const of = (url: string): string => registryFor("x", { npm_config_registry: url }, shop.home).url;
	expect(of("")).toBe("https://registry.npmjs.org/");
	for (const odd of ["127.0.0.1:4873", "not an address", "file:///etc", "http://", "\x1b[2Jhttp"])
		expect(() => of(odd)).toThrow(/is not a URL: /);
	expect(() => of("\x1b[2J")).not.toThrow(/\x1b/);
});

test("lines are parsed as npm parses them", () => {
	const text = '; a comment\n# another\n\n //h/:_authToken=${TOKEN} \r\nkey = "a=b"\nbroken\n';
	expect([...parseNpmrc(text, { TOKEN: "t" })]).toEqual([
		["//h/:_authToken", "t"],
		["key", "a=b"],
	]);
});

test("a token is sent only to the host that it belongs to", async () => {
	using shop = openWorkshop();
	using elsewhere = playRegistry();
	const host = new URL(shop.registry.url).host;
	writeFileSync(
		join(shop.home, ".npmrc"),
		`//${host}/:_authToken=secret\n@other:registry=${elsewhere.url}\n`,
	);
	shop.registry.publish({ name: "mine", version: "1.0.0", ...piManifest }, oneExtension);
	elsewhere.publish({ name: "@other/theirs", version: "1.0.0", ...piManifest }, oneExtension);
	const wanted = ["mine", "@other/theirs"].map((name) => ({
		source: { kind: "npm", name } as const,
		features: undefined,
	}));
	expect(await installPackages(wanted, shop.options)).toMatchObject({ ok: true });
	expect(new Set(shop.registry.requests.map(({ authorization }) => authorization))).toEqual(
		new Set(["Bearer secret"]),
	);
	expect(new Set(elsewhere.requests.map(({ authorization }) => authorization))).toEqual(new Set([null]));
});
