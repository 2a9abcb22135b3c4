#requires -Version 5
param(
    [string]$Target = "main"
)

$Limit = 10

<#
.SYNOPSIS
Adds a line.
#>
function Add-CartLine {
    [CmdletBinding()]
    param([string]$Sku, [int]$Count = 1)
    if ($script:Lines.Count -ge $Limit) {
        throw "full"
    }
    $script:Lines += $Sku
}

class Cart {
    [string]$Name
    hidden [int]$Count = 0

    Cart([string]$name) {
        $this.Name = $name
    }

    [int] Total() {
        return $this.Count * 3
    }
}

enum State {
    Open
    Closed
}

Add-CartLine -Sku "apple"
Write-Output (Get-ChildItem $Target)
