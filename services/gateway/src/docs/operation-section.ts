import { type Html, html, type HtmlValue } from "@malipo/core";
import { curlCommand } from "./curl.ts";
import { fieldList, fieldsOf } from "./fields.ts";
import { capitalise } from "./headings.ts";
import { jsonText } from "./json-text.ts";
import type { DescribedOperation } from "./operations.ts";

export function operationSection(described: DescribedOperation, serverUrl: string): Html {
  const { id, method, path, operation, parameters, success } = described;
  const url = serverUrl + path;
  const [title = "", ...rest] = operation.summary.split("; ");
  const more = rest.join("; ");
  const answer = success.response.content["application/json"];
  const body = operation.requestBody?.content["application/json"].schema;
  return html`<section class="operation" id="${id}">
    <div class="text">
      <h3><a href="#${id}">${title}</a></h3>
      <p class="route">${methodBadge(method)} <code>${path}</code></p>
      ${more !== "" ? html`<p class="more">${capitalise(more)}.</p>` : undefined}
      ${parameterGroup(
        "Path",
        parameters.filter((parameter) => parameter.in === "path"),
      )}
      ${parameterGroup(
        "Query",
        parameters.filter((parameter) => parameter.in === "query"),
      )}
      ${body && group("Body", fieldList(fieldsOf(body), "request"))}
      ${group(html`Answer <span class="status">${success.status}</span>`, fieldList(fieldsOf(answer.schema), "answer"))}
      ${group("Refusals", refusalList(described))}
    </div>
    <div class="example">
      ${codeBlock("Request", curlCommand({ url, method, operation, parameters }))}
      ${codeBlock(`Answer ${success.status}`, jsonText(answer.example))}
    </div>
  </section> `;
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

export function codeBlock(caption: string, code: HtmlValue): Html {
  return html`<figure>
    <figcaption>${caption}</figcaption>
    <pre tabindex="0"><code>${code}</code></pre>
  </figure>`;
}

function group(title: HtmlValue, content: HtmlValue): Html {
  return html`<h4>${title}</h4>
    ${content}`;
}

function parameterGroup(title: string, parameters: DescribedOperation["parameters"]): HtmlValue {
  return parameters.length > 0 ? group(title, fieldList(parameters, "request")) : undefined;
}

function refusalList({ refusals }: DescribedOperation): Html {
  return html`<ul class="refusals">
    ${refusals.map(({ status, response }) => {
      const codes = Object.keys(response.content["application/json"].examples ?? {});
      return html`<li>
        <span class="status">${status}</span>
        <span class="codes"
          >${codes.map((code) => html`<a href="#code-${code}"><code>${code}</code></a> `)}</span
        >
      </li> `;
    })}
  </ul>`;
}
