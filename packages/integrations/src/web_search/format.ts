/** Shows a search to the model: the answer, then numbered sources with age and excerpt, citations, related questions. */
import { oneLine, stripControls } from "@tau/utils";

import { formatAge } from "./age.ts";
import { limits } from "./limits.ts";
import type { SearchResponse } from "./types.ts";

export function formatSearch(response: SearchResponse): string {
	const { answer = "", sources, citations = [], relatedQuestions = [], searchQueries = [] } = response;
	const parts: string[] = [];
	if (answer !== "") parts.push(stripControls(answer));
	if (sources.length > 0) parts.push(sourceList(response, answer !== ""));
	if (citations.length > 0) parts.push(citationList(citations));
	if (relatedQuestions.length > 0)
		parts.push(["## Related", ...relatedQuestions.map((each) => `- ${line(each)}`)].join("\n"));
	if (searchQueries.length > 0)
		parts.push(
			[
				`Search queries: ${searchQueries.length}`,
				...searchQueries
					.slice(0, limits.queriesShown)
					.map((each) => `- ${oneLine(each, limits.queryShownChars)}`),
			].join("\n"),
		);
	return parts.length > 0 ? parts.join("\n\n") : "No results.";
}

function sourceList({ sources }: SearchResponse, hasAnswer: boolean): string {
	const entries = sources.map(({ title, url, snippet = "", publishedDate = "", ageSeconds }, index) => {
		const date = ageSeconds === undefined ? line(publishedDate) : formatAge(ageSeconds);
		const excerpt = oneLine(snippet, limits.snippetChars);
		return [
			`[${index + 1}] ${line(title)}${date === "" ? "" : ` (${date})`}`,
			`    ${url}`,
			...(excerpt === "" ? [] : [`    ${excerpt}`]),
		].join("\n");
	});
	const count = sources.length === 1 ? "1 source" : `${sources.length} sources`;
	return [...(hasAnswer ? ["## Sources", count] : []), ...entries].join("\n");
}

function citationList(citations: NonNullable<SearchResponse["citations"]>): string {
	const entries = citations.map(({ url, title, citedText = "" }) => {
		const cited = oneLine(citedText, limits.snippetChars);
		return [
			`- ${title === url ? url : `${line(title)}: ${url}`}`,
			...(cited === "" ? [] : [`  ${cited}`]),
		].join("\n");
	});
	return ["## Citations", ...entries].join("\n");
}

function line(text: string): string {
	return oneLine(text, limits.titleChars);
}
