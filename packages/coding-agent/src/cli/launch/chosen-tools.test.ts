/** The tools of a run are those that the command line and the settings select. */
import { describe, expect, test } from "bun:test";
import { schema, type SettingPath, type Settings } from "@tau/config/settings";
import { builtinTools } from "@tau/integrations/builtin";
import { UsageError } from "@tau/utils";
import { parseArgs } from "../args.ts";
import { chosenTools } from "./chosen-tools.ts";

interface World {
	settings?: Partial<Record<SettingPath, unknown>>;
	own?: string[];
}

function choose(argv: string[], { settings = {}, own }: World = {}) {
	const notices: string[] = [];
	const { tools, toolSelection } = chosenTools({
		args: parseArgs(argv),
		settings: { get: (path: SettingPath) => settings[path] ?? schema[path].default } as Pick<Settings, "get">,
		onNotice: (message) => notices.push(message),
		own,
	});
	return {
		names: tools.map(({ name }) => name).filter((name) => !toolSelection.hides(name)),
		/** Enabled by name, enabled by its own default, or disabled. */
		selection: (name: string) =>
			toolSelection.hides(name) ? "off" : toolSelection.names?.(name) ? "named" : "usual",
		notices,
	};
}

const all = builtinTools.map(({ name }) => name);
const but = (...names: string[]): string[] => all.filter((name) => !names.includes(name));

describe("the built-in tools are", () => {
	const cases: [promise: string, argv: string[], names: string[]][] = [
		["all by default", [], all],
		["those that are named, by pi's short flag too", ["-t", "bash, read"], ["read", "bash"]],
		["those that a pattern fits", ["--tools", "ast_*"], ["ast_edit", "ast_grep"]],
		["without the excluded", ["-xt", "bash,ast_*"], but("bash", "ast_edit", "ast_grep")],
		["without one that is named and excluded", ["-t", "read,bash", "--exclude-tools", "bash"], ["read"]],
		["all but those with a minus", ["-t", "-bash"], but("bash")],
		["none with --no-builtin-tools", ["-nbt"], []],
		["of those only what + adds", ["-nbt", "-t", "+read"], ["read"]],
		["none with --no-tools, whatever is named", ["-nt", "-t", "read"], []],
	];
	test.each(cases)("%s", (_, argv, names) => {
		expect(choose(argv).names.toSorted()).toEqual(names.toSorted());
	});

	test("+ adds to those that the settings enable", () => {
		const settings = { "tools.enabled": ["read"], "tools.disabled": ["bash"] };
		expect(choose([], { settings }).names).toEqual(["read"]);
		expect(choose(["-t", "+bash"], { settings }).names.toSorted()).toEqual(["bash", "read"]);
	});
});

describe("a tool of an extension", () => {
	const own = ["deploy"];
	const selections: [promise: string, argv: string[], selection: string][] = [
		["has its own default", [], "usual"],
		["also without the built-in ones", ["-nbt"], "usual"],
		["is on when it is named", ["-t", "deploy"], "named"],
		["is off when others are named", ["-t", "read"], "off"],
		["is on with +", ["-t", "+deploy"], "named"],
		["cannot be had when it is excluded", ["-xt", "dep*"], "off"],
		["cannot be had with a minus", ["-t", "-deploy"], "off"],
		["is off with --no-tools", ["-nt"], "off"],
	];
	test.each(selections)("%s", (_, argv, selection) => {
		expect(choose(argv, { own }).selection("deploy")).toBe(selection);
	});

	test("that is registered later is selected too, and an unknown name is reported", () => {
		const { selection, notices } = choose(["-t", "read,deplyo"], { own });
		expect(notices).toEqual(['Unknown tool "deplyo"; did you mean deploy?']);
		expect(selection("deplyo")).toBe("named");
		expect(choose([], { own, settings: { "tools.enabled": ["read"] } }).selection("deploy")).toBe("off");
	});
});

test("an unknown tool is rejected, and so is a list that mixes names and changes", () => {
	expect(() => choose(["-t", "raed"])).toThrow(UsageError);
	expect(() => choose(["-t", "raed"])).toThrow('There is no tool "raed". Did you mean read?');
	expect(() => choose(["-t", "read,+bash"])).toThrow(
		"--tools mixes names and changes in one list. Use either read or +bash.",
	);
});
