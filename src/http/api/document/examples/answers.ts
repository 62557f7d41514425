export const exampleAnswers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {};
