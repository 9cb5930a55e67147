/** The findings of a review, the most important first. */
import { isRecord } from "@tau/utils/portable";
import type { JSX } from "preact";

import { Markdown } from "../markdown/markdown.tsx";

interface Finding {
	readonly file: string;
	readonly line: string;
	readonly severity: string;
	readonly reason: string;
	readonly suggestion: string;
}

export interface ReviewData {
	readonly verdict: string;
	readonly summary: string;
	readonly findings: readonly Finding[];
}

/** Undefined for a reply without a review. */
export function reviewIn(data: unknown): ReviewData | undefined {
	if (!isRecord(data) || !Array.isArray(data.findings)) return undefined;
	const text = (value: unknown): string =>
		typeof value === "string" || typeof value === "number" ? String(value) : "";
	const findings = data.findings.flatMap((each: unknown) =>
		isRecord(each)
			? [
					{
						file: text(each.file),
						line: text(each.line),
						severity: text(each.severity),
						reason: text(each.reason),
						suggestion: text(each.suggestion),
					},
				]
			: [],
	);
	return { verdict: text(data.verdict), summary: text(data.summary), findings };
}

export function Findings({ review, onUse }: { review: ReviewData; onUse(text: string): void }): JSX.Element {
	return (
		<section class="section">
			<h3>Review: {review.verdict}</h3>
			<Markdown text={review.summary} />
			<ul class="findings">
				{review.findings.map((finding, at) => (
					<li key={at} class={`finding finding-${finding.severity.replaceAll(/\W/g, "")}`}>
						<p>
							<span class="tag">{finding.severity}</span> <code>{`${finding.file}:${finding.line}`}</code>
						</p>
						<Markdown text={finding.reason} />
						{finding.suggestion !== "" && <Markdown text={finding.suggestion} />}
						<button
							type="button"
							class="link"
							onClick={() => onUse(`Fix this finding in ${finding.file}:${finding.line}: ${finding.reason}`)}
						>
							Put into the prompt
						</button>
					</li>
				))}
			</ul>
		</section>
	);
}
