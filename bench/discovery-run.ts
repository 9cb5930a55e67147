/** One first search for what people wrote, in a process of its own: prints what it took. */
import { loadResources, standardRegistry, survey } from "@tau/extensions/resources";
import { Switches } from "@tau/resources/discovery";
import { discoveryPaths } from "@tau/resources/sources";

export interface Discovered {
	ms: number;
	/** Rules, agents, servers, hooks and the like. */
	restMs: number;
	skills: number;
	templates: number;
	rows: number;
}

const [home = "", cwd = ""] = process.argv.slice(2);
const env = { HOME: home };

async function timed<Value>(work: () => Value | Promise<Value>): Promise<{ value: Value; ms: number }> {
	const before = process.cpuUsage();
	const value = await work();
	const { user, system } = process.cpuUsage(before);
	return { value, ms: (user + system) / 1000 };
}

const first = await timed(() =>
	loadResources({
		cwd,
		env,
		commandEnv: env,
		disabled: [],
		skillPaths: [],
		templatePaths: [],
		withSkills: true,
		withTemplates: true,
		hasSkillCommands: true,
		isTrusted: () => false,
	}),
);
const rest = await timed(() => survey(standardRegistry(), discoveryPaths(cwd, env), new Switches([])));
const discovered: Discovered = {
	ms: first.ms,
	restMs: rest.ms,
	skills: first.value.skills.length,
	templates: first.value.templates.length,
	rows: rest.value.flatMap(({ rows }) => rows).length,
};
process.stdout.write(JSON.stringify(discovered));
