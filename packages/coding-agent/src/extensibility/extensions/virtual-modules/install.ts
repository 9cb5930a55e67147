/** Answers the imports of pi's and omp's packages, and of TypeBox, with our own modules; also in the compiled program. */
import { plugin } from "bun";

import * as typebox from "../../typebox/index.ts";
import names from "./pi-exports.json" with { type: "json" };
import { withMissing } from "./missing.ts";

type Exports = Record<string, unknown>;
type Load = () => Promise<Exports>;

const scopes = ["@earendil-works", "@mariozechner", "@oh-my-pi"] as const;

const packages: Readonly<Record<keyof typeof names, Load>> = {
	"pi-coding-agent": async () => (await import("./coding-agent.ts")).forExtensions(),
	"pi-tui": async () => (await import("./tui.ts")).tuiExports(),
	"pi-ai": async () => (await import("./ai.ts")).aiExports(),
	"pi-agent-core": async () => (await import("./agent-core.ts")).agentExports(),
};

const schemas: Load = async () => ({ ...typebox, ...typebox.Type, default: typebox.Type });

/** Values that are checked by a schema, as `typebox/value` has them. */
const values: Load = async () => ({
	Value: {
		Check: (schema: unknown, value: unknown) => typebox.checkValue(schema, value).ok,
		Parse: (schema: unknown, value: unknown) => {
			const checked = typebox.checkValue(schema, value);
			if (checked.ok) return checked.value;
			throw new TypeError(checked.problems.join("; "));
		},
		Errors: (schema: unknown, value: unknown) => {
			const checked = typebox.checkValue(schema, value);
			return checked.ok ? [] : checked.problems.map((message) => ({ message }));
		},
	},
});

let installed = false;

/** Nothing of it is loaded before an extension asks for it. */
export function installVirtualModules(): void {
	if (installed) return;
	installed = true;
	plugin({
		name: "tau-extensions",
		setup(build) {
			const serve = (name: string, load: Load): void => {
				build.module(name, async () => ({ exports: await load(), loader: "object" }));
			};
			for (const scope of scopes) {
				for (const [name, load] of Object.entries(packages)) {
					const full = `${scope}/${name}`;
					serve(full, async () => withMissing(full, names[name as keyof typeof names], await load()));
				}
			}
			serve("@tau/coding-agent", async () => (await import("./coding-agent.ts")).ownExports());
			for (const name of ["typebox", "@sinclair/typebox"]) {
				serve(name, schemas);
				serve(`${name}/value`, values);
			}
		},
	});
}
