/** Takes from a README what it says first: its title, its first sentence, its first commands. */
import { limits } from "../limits.ts";

export interface Readme {
	title?: string;
	opening?: string;
	commands: string[];
}

export function readReadme(lines: readonly string[]): Readme {
	const prose = withoutBlocks(lines);
	const title = /^#\s+(.+?)\s*#*$/.exec(prose.find((line) => line.startsWith("# ")) ?? "")?.[1];
	const opening = firstParagraph(prose);
	return {
		...(title === undefined ? {} : { title }),
		...(opening === "" ? {} : { opening }),
		commands: firstCommands(lines),
	};
}

function withoutBlocks(lines: readonly string[]): string[] {
	let inside = false;
	return lines.filter((line) => {
		const fence = isFence(line);
		if (fence) inside = !inside;
		return !fence && !inside;
	});
}

/** Headings, badges, pictures, tables and HTML are not what a README has to say. */
function firstParagraph(lines: readonly string[]): string {
	const isProse = (line: string) =>
		line.trim() !== "" && !/^\s*(?:#|<|!\[|\[!|\[!\[|\||>|[-=*_]{3,}\s*$)/.test(line);
	const from = lines.findIndex(isProse);
	if (from < 0) return "";
	const rest = lines.slice(from);
	const to = rest.findIndex((line) => !isProse(line));
	return (to < 0 ? rest : rest.slice(0, to)).join(" ");
}

function firstCommands(lines: readonly string[]): string[] {
	const from = lines.findIndex((line) => /^\s*```(?:sh|bash|shell|console|zsh)\b/i.test(line));
	if (from < 0) return [];
	const rest = lines.slice(from + 1);
	const to = rest.findIndex(isFence);
	const inside = to < 0 ? [] : rest.slice(0, to).map((line) => line.trim());
	const prompted = inside.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
	// If the prompt is shown, the other lines are output; elsewhere lines that do not start like a command are.
	const commands = prompted.length > 0 ? prompted : inside.filter((line) => /^[\w./~]/.test(line));
	return commands.slice(0, limits.listedStartLines);
}

function isFence(line: string): boolean {
	return /^\s*(?:```|~~~)/.test(line);
}
