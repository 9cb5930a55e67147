/** What a skill is: a name and a description that the model always knows, and a text that it reads when it needs it. */
import type { Discovered } from "../discovery/types.ts";
import { limits } from "./limits.ts";

export interface Skill extends Discovered {
	name: string;
	description: string;
	/** The file with the instructions. */
	path: string;
	/** The directory of its other files; absent for a skill that is a single file. */
	directory?: string;
	/** True if only the user can call the skill: it is not listed for the model. */
	isHidden: boolean;
}

/** Returns the violations of the Agent Skills format in a name. */
export function nameProblems(name: string): string[] {
	const problems: string[] = [];
	if (name.length > limits.nameChars)
		problems.push(`the name has ${name.length} characters; at most ${limits.nameChars} are allowed`);
	if (!/^[a-z0-9-]+$/.test(name))
		problems.push(`the name "${name}" may contain only lowercase letters, digits and hyphens`);
	if (/^-|-$|--/.test(name))
		problems.push(`the name "${name}" may not start or end with a hyphen or contain two in a row`);
	return problems;
}
