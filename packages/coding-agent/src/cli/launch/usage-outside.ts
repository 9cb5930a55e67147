/** Records what a command pays without a session, such as the message of a commit. */
import type { AssistantMessage } from "@tau/ai";
import { answerRecord } from "@tau/session";
import { usageDirectory, UsageLines } from "@tau/stats/lines";
import { dirs, uuidv7 } from "@tau/utils";

/** All answers of one command count as one session. */
export function usageOutside(
	kind: string,
	cwd: string,
): (answer: AssistantMessage, isSubscription: boolean) => void {
	const session = uuidv7();
	return (answer, isSubscription) => {
		using lines = new UsageLines(usageDirectory(dirs().data));
		lines.append({ ...answerRecord(kind, answer), session, cwd, isSubscription });
	};
}
