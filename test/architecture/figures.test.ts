/** Numbers that pages state about the program are counted, so that they stay true. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { builtinModels, providers } from "@tau/ai";
import { schema } from "@tau/config/settings";

import { repository } from "./tree.ts";

const examples = readdirSync(join(repository, "packages/coding-agent/examples/extensions")).filter(
	(name) => name !== "README.md",
).length;
const withCatalogue = new Set(builtinModels().map(({ provider }) => provider)).size;
// `auto` is the first of the choices, and no service.
const { hint } = schema["providers.webSearch"];
const services = hint.kind === "choice" ? hint.choices.length - 1 : 0;
const inEnglish = services === 14 ? "fourteen" : String(services);

test.each([
	["README.md", `any of ${providers.length} providers (${withCatalogue} with a built-in catalogue)`],
	["README.md", `a tutorial and ${examples} examples`],
	["docs/extensions.md", `are ${examples} small extensions`],
	["docs/tools.md", `one of ${inEnglish} services`],
	["docs/FEATURES.md", `the first of ${inEnglish} services`],
])("%s says: %s", (page, sentence) => {
	expect(readFileSync(join(repository, page), "utf8").includes(sentence)).toBe(true);
});
