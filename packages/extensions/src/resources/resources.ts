/** The resources of a session: skills, and templates that the user calls by name. They are found once, at its start. */
import { resolve } from "node:path";

import { expandHome, type Env } from "@tau/utils";

import type { AgentFile } from "@tau/resources/agents";
import { findNamedTemplates, type CallableResources } from "@tau/resources/prompt-templates";
import { findNamedSkills } from "@tau/resources/skills";
import { agents, commands, skills } from "./capabilities.ts";
import { discoveryPaths, type DiscoveryPaths } from "@tau/resources/sources";
import {
	DiscoveryRegistry,
	type Loaded,
	type Provider,
	Switches,
	describeWarning,
	together,
	type Capability,
	type Discovered,
	type Findings,
	type Warning,
} from "@tau/resources/discovery";
import { standardRegistry } from "./standard-registry.ts";

export interface Resources extends CallableResources {
	/** The types of agents of the user and the project. */
	readonly agents: readonly AgentFile[];
	/** What is wrong with files that were found. */
	readonly warnings: readonly Warning[];
}

export interface ResourceRequest extends Pick<Resources, "hasSkillCommands" | "isTrusted"> {
	cwd: string;
	/** The environment that determines Tau's directories. */
	env: Env;
	/** What commands in templates are run with: the keys of providers are not in it. */
	commandEnv: Env;
	/** What is switched off: `discovery.disabled`. */
	disabled: readonly string[];
	/** Files and directories that the settings and the command line name. */
	skillPaths: readonly string[];
	templatePaths: readonly string[];
	/** False: only what is named. */
	withSkills: boolean;
	withTemplates: boolean;
}

export async function loadResources(request: ResourceRequest): Promise<Resources> {
	const { cwd, env, hasSkillCommands, withSkills, withTemplates } = request;
	const paths = discoveryPaths(cwd, env, { isTrusted: request.isTrusted() });
	const off = new Switches(request.disabled);
	const [foundSkills, foundTemplates, foundAgents] = await Promise.all([
		load(skills, named(request.skillPaths, findNamedSkills), withSkills, paths, off),
		load(commands, named(request.templatePaths, findNamedTemplates), withTemplates, paths, off),
		standardRegistry().load(agents, paths, off),
	]);
	return {
		cwd: paths.cwd,
		root: paths.root,
		home: paths.home,
		env: request.commandEnv,
		skills: foundSkills.items,
		templates: foundTemplates.items,
		agents: request.isTrusted() ? foundAgents.items : foundAgents.items.map(withoutModel),
		hasSkillCommands,
		isTrusted: request.isTrusted,
		warnings: [...foundSkills.warnings, ...foundTemplates.warnings, ...foundAgents.warnings],
	};
}

/** A model may cost any amount: an untrusted project does not choose it. */
function withoutModel(file: AgentFile): AgentFile {
	if (file.origin.level !== "project") return file;
	const { model: _, ...type } = file.type;
	return { ...file, type };
}

async function load<T extends Discovered>(
	capability: Capability<T>,
	provider: Provider<T>,
	isSearched: boolean,
	paths: DiscoveryPaths,
	off: Switches,
): Promise<Loaded<T>> {
	const registry = isSearched ? standardRegistry() : new DiscoveryRegistry();
	if (!isSearched) registry.define(capability);
	registry.register(capability, provider);
	return registry.load(capability, paths, off);
}

/** Resources that the user named take precedence over every source. */
function named<T extends Discovered>(
	paths: readonly string[],
	find: (path: string, source: string) => Findings<T>,
): Provider<T> {
	const source = "named";
	return {
		source,
		priority: Number.POSITIVE_INFINITY,
		load: async ({ cwd, home }) =>
			together(paths.map((path) => find(resolve(cwd, expandHome(path, home)), source))),
	};
}

/** One line for the start of a session; undefined if there is no problem. Small ones are for `tau doctor`. */
export function resourceNotice({ warnings }: Resources): string | undefined {
	const [first, ...more] = warnings.filter(({ isLeftOut }) => isLeftOut);
	if (!first) return undefined;
	const others = more.length === 0 ? "" : ` and ${more.length} more`;
	return `Not used: ${describeWarning(first)}${others}. Run tau doctor for details.`;
}
