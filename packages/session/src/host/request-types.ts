/** The kinds of questions to the user, with their answers. */
export interface Question {
	id: string;
	question: string;
	options: readonly { label: string; description?: string }[];
	multiple: boolean;
	recommended?: number;
}
export interface QuestionAnswer {
	id: string;
	chosen: readonly string[];
	text?: string;
}
export type Dialog =
	| {
			method: "select";
			title: string;
			options: string[];
			descriptions?: (string | null)[] | undefined;
			timeout?: number | undefined;
	  }
	| { method: "confirm"; title: string; message: string; timeout?: number | undefined }
	| { method: "input"; title: string; placeholder?: string | undefined; timeout?: number | undefined }
	| { method: "editor"; title: string; prefill?: string | undefined; timeout?: number | undefined };
interface Kinds {
	questions: { fields: { questions: readonly Question[] }; answer: { answers: readonly QuestionAnswer[] } };
	trust: {
		fields: { project: string; runs: readonly { path: string; kind?: string }[] };
		answer: { trusted: boolean; remember: boolean };
	};
	dialog: { fields: { dialog: Dialog }; answer: { value: string } | { confirmed: boolean } };
}
export type RequestKind = keyof Kinds;
export type RequestFields<K extends RequestKind> = Kinds[K]["fields"];
export type AnswerOf<K extends RequestKind> = Kinds[K]["answer"];
export type UserAnswer = { [K in RequestKind]: AnswerOf<K> }[RequestKind];
export interface RequestOrigin {
	tool?: string;
	extension?: string;
	hook?: string;
}
export type UserRequestOf<K extends RequestKind> = {
	kind: K;
	id: string;
	openedAt: number;
	from?: RequestOrigin;
} & RequestFields<K>;
export type UserRequest = { [K in RequestKind]: UserRequestOf<K> }[RequestKind];
