/** A command as the user sees it who is asked whether it may run outside the sandbox. */
export interface OutsideCommand {
	readonly command: string;
	readonly cwd: string;
	readonly env?: Readonly<Record<string, string>> | undefined;
}

/** All that decides what would run: the directory and the variables, too, are of the model's choice. */
export function outsideCommand({ command, cwd, env = {} }: OutsideCommand, project: string): string {
	const variables = Object.entries(env).map(([name, value]) => `${name}=${JSON.stringify(value)} `);
	return `${cwd === project ? "" : `cd ${cwd} && `}${variables.join("")}${command}`;
}
