/** What axe finds in a page: what keeps people from using it. */
import axe from "axe-core";
import type { Page } from "puppeteer-core";

export interface AxeScope {
	/** Selects the part of the page that is checked; by default all of it. */
	within?: string;
	/** Only the rules of contrast: a theme changes nothing else. */
	isContrastOnly?: boolean;
}

/** Everything that axe finds. */
export async function axeFindings(page: Page, scope?: AxeScope): Promise<string[]> {
	return listed(await violationsIn(page, scope));
}

/** What axe finds serious or critical. */
export async function seriousFindings(page: Page, scope?: AxeScope): Promise<string[]> {
	const all = await violationsIn(page, scope);
	return listed(all.filter(({ impact }) => impact === "serious" || impact === "critical"));
}

async function violationsIn(
	page: Page,
	{ within, isContrastOnly = false }: AxeScope = {},
): Promise<axe.Result[]> {
	// The tools of the browser put it into the page, so that one without connections can be checked too; once per document.
	if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
	const part = within === undefined ? "document" : JSON.stringify(within);
	const rules = JSON.stringify(isContrastOnly ? { runOnly: ["color-contrast"] } : {});
	return (await page.evaluate(
		`axe.run(${part}, ${rules}).then(({ violations }) => violations)`,
	)) as axe.Result[];
}

function listed(violations: readonly axe.Result[]): string[] {
	return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
