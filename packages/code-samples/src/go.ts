import { listHeaders, type SampleHeader, type SampleRequest } from './request.js';
import { writeJson } from './write-value.js';

/** A complete program that uses only the standard library. */
export function writeGo(request: SampleRequest): string {
  const { method, url, body } = request;
  const headers = listHeaders(request);
  return [
    'package main',
    '',
    'import (',
    ...listPackages(request).map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...(body === undefined
      ? []
      : [`\tbody := strings.NewReader(${quoteRaw(typeof body === 'string' ? body : writeJson(body))})`]),
    `\trequest, err := http.NewRequest(${quote(method)}, ${quote(url)}, ${body === undefined ? 'nil' : 'body'})`,
    ...EXIT_ON_ERROR,
    ...headers.map((header) => `\t${writeHeader(header)}`),
    '\tresponse, err := http.DefaultClient.Do(request)',
    ...EXIT_ON_ERROR,
    '\tdefer response.Body.Close()',
    '\tanswer, err := io.ReadAll(response.Body)',
    ...EXIT_ON_ERROR,
    '\tif response.StatusCode >= 400 {',
    '\t\tlog.Fatalf("%s: %s", response.Status, answer)',
    '\t}',
    '\tfmt.Println(string(answer))',
    '}',
  ].join('\n');
}

const EXIT_ON_ERROR = ['\tif err != nil {', '\t\tlog.Fatal(err)', '\t}'];

/** Go does not compile a program with an unused import. */
function listPackages(request: SampleRequest): string[] {
  const needsEnvironment = listHeaders(request).some(({ variable }) => variable !== undefined);
  return [
    'fmt',
    'io',
    'log',
    'net/http',
    ...(needsEnvironment ? ['os'] : []),
    ...(request.body === undefined ? [] : ['strings']),
  ];
}

/** Without spaces around the +, which is how gofmt formats an argument. */
function writeHeader({ name, text, variable }: SampleHeader): string {
  const value = variable === undefined ? quote(text) : `${text && `${quote(text)}+`}os.Getenv("${variable}")`;
  return `request.Header.Set(${quote(name)}, ${value})`;
}

/** Go's strings have every escape sequence that JSON.stringify writes. */
function quote(text: string): string {
  return JSON.stringify(text);
}

/** A raw string cannot contain a backtick. */
function quoteRaw(text: string): string {
  return text.includes('`') ? quote(text) : `\`${text}\``;
}
