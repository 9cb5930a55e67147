/** The commands with which the demo inspects a project. */
import { limits } from "../limits.ts";
import { shellQuote } from "../shell-quote.ts";

export const listCommand = `ls -la | head -n ${limits.listedEntries}`;

/** Silent where there is no repository or no commit yet: that is no failure. */
export const logCommand = `if git rev-parse -q --verify HEAD >/dev/null 2>&1; then git --no-pager log --oneline -n ${limits.listedCommits}; else echo "no commits"; fi`;

export const statusCommand = `if git rev-parse --git-dir >/dev/null 2>&1; then git --no-pager status --short --branch | head -n ${limits.shownLines}; else echo "not a git repository"; fi`;

/** Every file that belongs to the project: in a repository what git does not ignore. */
const files =
	"{ git -c core.quotepath=off ls-files -co --exclude-standard 2>/dev/null || " +
	`find . -maxdepth ${limits.countedDepth} -type f ! -path '*/.git/*' ! -path '*/node_modules/*' 2>/dev/null; } | head -n ${limits.countedFiles}`;

export const extensionsCommand = `${files} | sed -n 's/.*\\.\\([A-Za-z0-9_]\\{1,12\\}\\)$/\\1/p' | sort | uniq -c | sort -rn | head -n 20`;

export function fileNamesCommand(part: string): string {
	return `${files} | grep -iF -e ${shellQuote(part)} | head -n ${limits.searchNames}`;
}

export function searchCommand(text: string, anyCase = false): string {
	const flags = anyCase ? "-i " : "";
	const word = shellQuote(text);
	return [
		"if command -v rg >/dev/null 2>&1",
		`then rg -n --no-heading --color never ${flags}-F -e ${word} .`,
		`else grep -rnI ${flags}-F --exclude-dir=.git --exclude-dir=node_modules -e ${word} .`,
		`fi | head -n ${limits.searchLines} | cut -b 1-${limits.searchLineBytes}`,
	].join("\n");
}
