/** The few texts that the codecs themselves send to a model. */
import audioLeftOut from "./audio-left-out.md" with { type: "text" };
import foreignThinkingTemplate from "./foreign-thinking.md" with { type: "text" };
import imageBelow from "./image-below.md" with { type: "text" };
import imageLeftOut from "./image-left-out.md" with { type: "text" };
import neverRan from "./never-ran.md" with { type: "text" };
import noOutput from "./no-output.md" with { type: "text" };
import resultsSeen from "./results-seen.md" with { type: "text" };

export const notes = {
	audioLeftOut: audioLeftOut.trim(),
	imageBelow: imageBelow.trim(),
	imageLeftOut: imageLeftOut.trim(),
	neverRan: neverRan.trim(),
	noOutput: noOutput.trim(),
	resultsSeen: resultsSeen.trim(),
} as const;

/** Another model's thinking, as text for the next one. */
export function foreignThinking(thoughts: string): string {
	return foreignThinkingTemplate.trim().replace("{{thoughts}}", () => thoughts);
}
